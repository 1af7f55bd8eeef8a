internal import CFFmpeg

/// Abilities of libavformat's muxers that depend on its version or on an option.
///
/// True of FFmpeg 5.1 and, by the source of `libavformat/movenc.c`, of 7.1, whose QuickTime muxer adds Apple's box `vexu`.
enum MuxerFacts {
    /// Side data that the QuickTime muxer does not write, and the MP4 muxer does, into the same boxes.
    static let writtenByMP4Only: Set<StreamSideData.Kind> = [.dolbyVision, .stereo3D, .spherical]

    /// Side data that is written only where the file need not follow the strictest reading of its standard.
    static let unofficial: Set<StreamSideData.Kind> = [.dolbyVision, .stereo3D, .spherical]

    /// The kinds of which a QuickTime or MP4 file holds this or the colours' names in one box.
    static let preferredOverColours: Set<StreamSideData.Kind> = [.iccProfile]

    /// Whether a tag's name is one of those that only the metadata keys of QuickTime can hold: a domain's name in reverse,
    /// such as `com.apple.quicktime.make`.
    static func needsMetadataKeys(_ tag: String) -> Bool { tag.count { $0 == "." } >= 2 }
}
