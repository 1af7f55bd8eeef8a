public import Reactions

// Settings that users look for in `Configuration` although they belong to one of its members. The declarations are
// unavailable, so that the compiler's error names the right member.
extension Configuration {
    /// See ``ReactionStyle/intensity``.
    @available(*, unavailable, renamed: "style.intensity")
    public var intensity: Double { style.intensity }
    /// See ``ReactionStyle/isCalm``.
    @available(*, unavailable, renamed: "style.isCalm")
    public var isCalm: Bool { style.isCalm }
    /// See ``ReactionStyle/palette``.
    @available(*, unavailable, renamed: "style.palette")
    public var palette: Palette? { style.palette }
    /// See ``EncodingOptions/codec``.
    @available(*, unavailable, renamed: "encoding.codec")
    public var codec: EncodingOptions.Codec { encoding.codec }
    /// See ``EncodingOptions/crf``.
    @available(*, unavailable, renamed: "encoding.crf")
    public var crf: Double? { encoding.crf }
    /// See ``EncodingOptions/smartRender``.
    @available(*, unavailable, renamed: "encoding.smartRender")
    public var smartRender: SmartRender { encoding.smartRender }
    /// See ``InputOptions/start``.
    @available(*, unavailable, renamed: "input.start")
    public var start: Double { input.start }
    /// See ``InputOptions/end``.
    @available(*, unavailable, renamed: "input.end")
    public var end: Double? { input.end }
}
