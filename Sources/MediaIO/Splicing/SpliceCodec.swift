/// A codec of which stretches can be coded again while the rest is copied.
package enum SpliceCodec: Sendable, Hashable {
    case h264, hevc, vp8, vp9, av1
    /// Every picture stands alone; with FFmpeg's name of the encoder.
    case intra(encoder: String)

    /// - Parameter name: FFmpeg's name of the codec.
    /// - Returns: nil where its streams are not spliced.
    package init?(name: String) {
        switch name {
        case "h264": self = .h264
        case "hevc": self = .hevc
        case "vp8": self = .vp8
        case "vp9": self = .vp9
        case "av1": self = .av1
        case "mjpeg", "ffv1", "huffyuv", "ffvhuff", "utvideo": self = .intra(encoder: name)
        case "prores": self = .intra(encoder: "prores_ks")
        default: return nil
        }
    }

    /// The constant qualities of its encoder, from the finest to the coarsest, as ``VideoEncoderSettings/crf``; nil where
    /// there are none to choose from.
    package var qualities: ClosedRange<Double>? {
        switch self {
        case .h264, .hevc: 1...45
        case .vp9, .av1: 4...60
        // Packets state their quantisers.
        case .vp8: nil
        case .intra("mjpeg"): 2...31
        case .intra: nil
        }
    }

    /// Whether its streams are made of NAL units.
    var hasUnits: Bool { self == .h264 || self == .hevc }
}

/// Why a video cannot be spliced, in words that go on after "encoded as a whole: ".
package struct SpliceObstacle: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
