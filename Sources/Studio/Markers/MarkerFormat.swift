import Pipeline

/// A kind of file by which editing programs exchange markers.
public enum MarkerFormat: String, Sendable, Hashable, CaseIterable {
    /// DaVinci Resolve's list of timeline markers, `.edl`.
    case edl
    /// OpenTimelineIO, `.otio`: DaVinci Resolve, Kdenlive.
    case openTimelineIO = "otio"
    /// Final Cut Pro 7's XML, `.xml`: Premiere Pro, and most others.
    case finalCut7 = "xml"
    /// Final Cut Pro's XML, `.fcpxml`.
    case finalCut = "fcpxml"
    /// A table, `.csv`: spreadsheets.
    case csv
    /// WebVTT cues, `.vtt`: chapters in web players.
    case webVTT = "vtt"

    /// The format that a file's name asks for by its ending; `nil` for any other.
    public init?(path: String) {
        let name = RecordedFile.name(of: path)
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        self.init(rawValue: name[dot...].dropFirst().lowercased())
    }

    /// Whether ``ReactionPlan/apply(markers:from:name:options:resources:)`` reads it.
    public var isReadable: Bool {
        switch self {
        case .edl, .openTimelineIO, .csv: true
        case .finalCut7, .finalCut, .webVTT: false
        }
    }
}

/// How markers stand on an editing program's timeline.
public struct MarkerOptions: Sendable, Hashable {
    /// The timeline's frame rate. If `nil`, the recording's, or 30 where that is none that timecode knows.
    public var frameRate: Double?
    /// The timecode of the timeline's first frame, for ``MarkerFormat/edl``. Resolve's timelines start at `01:00:00:00`.
    public var startTimecode = "01:00:00:00"
    /// Whether timecode at 29.97 and 59.94 frames a second is drop-frame. A list that is read may say so itself.
    public var isDropFrame = false

    /// The usual options.
    public init() {}
}
