/// The frames of an animated picture file: their places on the canvas, their durations, and the parts of the file that
/// hold them. Nothing is decoded.
///
/// ``SpriteFormat`` checks its limits; ``SpriteComposer`` decodes and composes the frames.
struct AnimatedSprite: Sendable {
    /// The change of a frame's area before the next frame.
    enum Disposal: Sendable { case keep, clear, restore }

    struct Frame: Sendable {
        /// The place of the top left corner on the canvas.
        var x = 0, y = 0
        var width = 0, height = 0
        /// The duration in milliseconds, as the file states it.
        var duration = 0.0
        var disposal = Disposal.keep
        /// True if the frame replaces the pixels of its area, transparent ones included, instead of being drawn over
        /// them.
        var replaces = false
        /// The parts of the file that hold the frame's data, in their sequence.
        var parts: [Range<Int>] = []
        /// Other data of the format from which a still picture of the frame is made: for GIF the colour table, the
        /// transparent colour, and whether the lines are interlaced.
        var colours = 0..<0
        var transparent: UInt8?
        var isInterlaced = false
    }

    /// The maximum number of frames.
    static let greatestCount = 240
    /// The maximum width and height of an animation's canvas in pixels.
    static let greatestSide = 1024
    /// The maximum size of all frames together, decoded to 4 bytes a pixel of the canvas.
    static let greatestSize = 128 << 20

    var width: Int
    var height: Int
    var frames: [Frame] = []

    /// Reads the structure of a file.
    ///
    /// - Returns: `nil` for a still picture. A GIF file with one frame is an animation of one frame.
    /// - Throws: ``SpriteFault`` for a damaged file.
    init?(_ bytes: [UInt8], format: SpriteFormat) throws(SpriteFault) {
        let read: AnimatedSprite?
        switch format {
        case .svg: read = nil
        case .png: read = try APNGFrames.read(bytes)
        case .webp: read = try WebPFrames.read(bytes)
        case .gif: read = try GIFFrames.read(bytes)
        }
        guard let read else { return nil }
        self = read
        try check(format)
    }

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Adds a frame.
    ///
    /// - Throws: ``SpriteFault`` if there are too many already, so that reading a file ends early.
    mutating func add(_ frame: Frame) throws(SpriteFault) {
        if frames.count == Self.greatestCount {
            throw SpriteFault("the sprite has more than \(Self.greatestCount) frames; save it with fewer")
        }
        frames.append(frame)
    }

    private func check(_ format: SpriteFormat) throws(SpriteFault) {
        guard width > 0, height > 0 else { throw .damagedHeader(format) }
        guard !frames.isEmpty else { throw SpriteFault("the sprite has no frames; save it again") }
        for frame in frames {
            guard frame.width > 0, frame.height > 0, frame.x + frame.width <= width, frame.y + frame.height <= height
            else {
                throw SpriteFault("a frame of the sprite is empty or lies outside of the picture; save it again")
            }
        }
        if frames.count == 1 { return }
        if max(width, height) > Self.greatestSide {
            let limit = Self.greatestSide
            throw SpriteFault("the animated sprite has \(width)×\(height) pixels; the limit is \(limit)×\(limit)")
        }
        if size > Self.greatestSize {
            throw SpriteFault(
                "the \(frames.count) frames of the sprite take \(size >> 20) MiB when decoded; the limit is \(Self.greatestSize >> 20) MiB; save it smaller or with fewer frames"
            )
        }
    }

    /// The size of all frames in bytes, decoded to 4 bytes a pixel of the canvas.
    var size: Int { frames.count * width * height * 4 }

    /// Returns the file of a still picture that shows one frame.
    func still(_ frame: Frame, of bytes: [UInt8], format: SpriteFormat) -> [UInt8] {
        switch format {
        case .svg: bytes
        case .png: APNGFrames.still(frame, of: bytes)
        case .webp: WebPFrames.still(frame, of: bytes)
        case .gif: GIFFrames.still(frame, of: bytes)
        }
    }

    /// The times in seconds at which the frames end, from the animation's start.
    ///
    /// Browsers show frames of at most 10 ms for 100 ms, since many files contain 0. So do sprites.
    var ends: [Double] {
        var sum = 0.0
        return frames.map { frame in
            sum += frame.duration > 10 ? frame.duration : 100
            return sum / 1000
        }
    }
}

/// The reason for rejecting a sprite, in words for the user.
struct SpriteFault: Error {
    var message: String

    init(_ message: String) { self.message = message }

    static func damagedHeader(_ format: SpriteFormat) -> SpriteFault {
        SpriteFault("the header of the \(format.rawValue.uppercased()) file is damaged; save it again")
    }

    static func endsEarly(_ format: SpriteFormat) -> SpriteFault {
        SpriteFault("the \(format.rawValue.uppercased()) file ends early or is damaged; save it again")
    }
}

extension [UInt8] {
    /// Returns a byte; `nil` outside of the file.
    func byte(at place: Int) -> UInt8? { indices.contains(place) ? self[place] : nil }

    func contains(_ range: Range<Int>) -> Bool { range.lowerBound >= 0 && range.upperBound <= count }

    /// Returns whether a text of ASCII letters is at a place.
    func has(_ text: String, at place: Int) -> Bool { place >= 0 && dropFirst(place).starts(with: text.utf8) }

    /// Creates the bytes of a number, the highest first.
    init(bigEndian number: Int, count: Int) { self = [UInt8](littleEndian: number, count: count).reversed() }

    /// Creates the bytes of a number, the lowest first.
    init(littleEndian number: Int, count: Int) {
        self = (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
