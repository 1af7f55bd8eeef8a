import MediaIO

/// Determines the quality of an encoded segment from the source's frames that are decoded for it, so that the seams are
/// not visible. ``SegmentEncoder`` uses one for each segment.
struct SpanQuality: Sendable {
    /// The quantisers of the last frames of the source that were decoded.
    private var quantisers: [Double] = []
    /// The encoder's quality at which a picture has the same number of bits as in the source, if the decoder exports no
    /// quantisers.
    var matched: Double?
    /// True if the decoder reports no quantiser.
    private var isSilent = false
    /// The quantiser indexes of the last VP8 packets, without key frames.
    private var indexes: [Int] = []
    /// The quantiser index of the last VP8 key frame.
    private var keyIndex: Int?
    private var packetCount = 0

    /// The minimum number of decoded frames before the quality is chosen.
    static let minimumFrames = 8
    /// The maximum number of frames that are averaged.
    private static let maximumFrames = 60
    /// The steps of the quantiser by which the segment is finer than the source.
    private let margin: Double
    /// The ratio of a VP8 segment's quantiser index to the source's. It corresponds to a ``margin`` of four steps.
    private static let indexShare = 0.6
    /// The offset of x264's quantisers above its constant rate factor, for videos of people who talk.
    private static let offset = 1.0

    /// Creates the quality of a segment.
    ///
    /// Encoding a picture a second time loses as much as encoding it the first time. At a quality that is finer by four
    /// steps, the difference is not visible. The preset of H.264 segments (``SplicedCoding/preset``) reaches this with
    /// half a step, and a third fewer bytes (see the measurements in docs/notes/smart-rendering-figures.md).
    init(_ codec: SpliceCodec) { margin = codec == .h264 ? 0.5 : 4 }

    /// Records the next frame.
    mutating func note(_ frame: borrowing VideoFrame) {
        guard let quantiser = frame.quantiser else {
            isSilent = packetCount == 0
            return
        }
        quantisers.append(quantiser)
        if quantisers.count > Self.maximumFrames { quantisers.removeFirst() }
    }

    /// Records the quantiser of the next VP8 packet, because the VP8 decoder exports none.
    mutating func add(vp8 packet: borrowing Packet) {
        guard let index = packet.withBytes({ VP8Quantiser.index(of: $0) }) else { return }
        packetCount += 1
        // A rate control gives a key frame a different quantiser than the frames after it.
        if packet.isKeyFrame { keyIndex = index } else { indexes.append(index) }
        if indexes.count > Self.maximumFrames { indexes.removeFirst() }
    }

    /// True if no frame was measured.
    var isEmpty: Bool { quantisers.isEmpty && packetCount == 0 && !isSilent }

    /// True if enough frames were measured.
    var isSettled: Bool { isSilent || max(quantisers.count, packetCount) >= Self.minimumFrames }

    /// The mean quantiser of the frames; `nil` if the decoder does not export it.
    var quantiser: Double? {
        quantisers.isEmpty ? nil : quantisers.reduce(0, +) / Double(quantisers.count)
    }

    /// The encoder's constant quality that corresponds to the measured frames; `nil` if nothing was measured.
    var crf: Double? {
        let known = indexes.isEmpty ? [keyIndex].compactMap(\.self) : indexes
        if !known.isEmpty {
            let mean = Double(known.reduce(0, +)) / Double(known.count)
            return Double(VP8Quantiser.level(forIndex: mean * Self.indexShare))
        }
        return matched ?? quantiser.map { min(max($0 - Self.offset - margin, 1), 45) }
    }

    /// Returns the factor by which the first encoded picture may exceed the bytes of the source's picture. Then the
    /// frames after it are also as fine as the source's (docs/notes/smart-rendering-figures.md).
    static func richness(_ codec: SpliceCodec) -> Double {
        switch codec {
        case .h264, .hevc, .mpeg2, .mpeg4: 1.2
        case .vp8, .vp9, .av1: 1.5
        case .intra: 1
        }
    }

    /// Searches for the quality at which an encoded picture has the same number of bytes as in the source.
    ///
    /// - Parameters:
    ///   - range: The qualities, from the finest to the coarsest.
    ///   - size: Encodes the picture at a quality, and returns the number of bytes; coarser qualities need fewer bytes.
    static func matching(
        _ bytes: Int, in range: ClosedRange<Double>, size: (Double) throws -> Int
    ) rethrows -> Double {
        var (fine, coarse) = (range.lowerBound, range.upperBound)
        for _ in 0..<5 {
            let middle = ((fine + coarse) / 2).rounded()
            if try size(middle) >= bytes { fine = middle } else { coarse = middle }
        }
        return fine
    }
}

/// The quality increase of the pictures at the ends of a segment, relative to the pictures within it. It hides the
/// seam.
///
/// The picture before a seam is shown next to a picture of the source. An encoder spends the fewest bits on it, because
/// no later picture refers to it. (See the measurements in docs/notes/smart-rendering-figures.md.)
enum SeamQuality {
    /// The number of frames before the end of a segment over which the quality increases.
    private static let ramp = 15
    /// The steps of the quantiser by which the last picture and the first picture are finer.
    private static let last = 10.0, first = 7.0

    /// Returns the quality gain, in steps of the quantiser, of the frame with a number in a segment of `count` frames.
    static func gain(ofFrame number: Int, of count: Int) -> Double {
        if number == 0 { return first }
        return last * Double(max(0, number - (count - 1 - ramp))) / Double(ramp)
    }

    /// Returns the whole of a picture as an encoder's quality region; none if the picture is coded like all others.
    static func regions(ofFrame number: Int, of count: Int, width: Int, height: Int) -> [QualityRegion] {
        let gain = gain(ofFrame: number, of: count)
        return gain > 0 ? [QualityRegion(columns: 0..<width, rows: 0..<height, quantiserOffset: -gain)] : []
    }
}
