/// A colour of eight bits a channel.
struct GalleryColour: Equatable, Sendable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    init(_ hex: UInt32) {
        red = UInt8(hex >> 16 & 255)
        green = UInt8(hex >> 8 & 255)
        blue = UInt8(hex & 255)
    }

    /// Luma of BT.601, 0…255.
    var luma: Double { 0.299 * Double(red) + 0.587 * Double(green) + 0.114 * Double(blue) }

    /// The notation of FFmpeg's filters.
    var filterName: String {
        let digits = Array("0123456789abcdef")
        return "0x"
            + [red, green, blue].map { "\(digits[Int($0) / 16])\(digits[Int($0) % 16])" }.joined()
    }
}

/// The appearance of a composite.
struct GalleryStyle: Sendable {
    enum SpeakerFrame: Sendable { case none, outside, over }

    var background: GalleryColour
    /// Pixels between tiles.
    var gutter: Int
    /// Pixels around all tiles.
    var margin: Int
    /// The radius of the tiles' corners in pixels.
    var radius: Int
    var labels: Bool
    /// The opacity of the name labels' boxes; zero leaves the text alone.
    var labelOpacity: Double
    /// The height of a label as a share of its tile's.
    var labelScale: Double
    var frame: SpeakerFrame
    var frameColour: GalleryColour
    var frameWidth: Int
    /// The colour of tiles without video.
    var avatarFill: GalleryColour
    /// The colour beside portrait pictures; the background's where they stand free.
    var bars: GalleryColour?
    /// The aspect ratio of the tiles of a grid; absent where they fill the picture.
    var tileAspect: Double?

    static let backgrounds: [GalleryColour] = [
        0x000000, 0x1a1a1a, 0x202124, 0xffffff, 0xd8d8d8, 0x1c2a44, 0x24513a, 0x11151c, 0x2d2d30, 0xeef1f6,
    ].map { GalleryColour($0) }
    static let avatars: [GalleryColour] = [
        0x3c4043, 0x2b4a6f, 0x5f3b6e, 0x7a4a2a, 0x2f6b5e, 0x8a8f98, 0x44506a, 0x1f1f23, 0xb9c2d0,
    ].map { GalleryColour($0) }
    static let discs: [GalleryColour] = [
        0xe8710a, 0x1a73e8, 0x188038, 0xd93025, 0x9334e6, 0x00838f, 0x607d8b, 0xc2185b,
    ].map { GalleryColour($0) }
    static let frames: [GalleryColour] = [0xf6d32d, 0x23d959, 0x8ab4f8, 0x2d8cff, 0xffe14d].map { GalleryColour($0) }

    /// - Parameter scale: the composite's height divided by 1080.
    init(_ random: inout GalleryRandom, scale: Double) {
        func pixels(_ value: Int) -> Int { Int((Double(value) * scale).rounded()) }
        let background = random.pick(Self.backgrounds)
        self.background = background
        gutter = max(2, pixels(random.integer(2...24)))
        margin = random.chance(0.25) ? 0 : pixels(random.integer(0...60))
        radius = random.chance(0.4) ? 0 : pixels(random.integer(4...24))
        labels = random.chance(0.8)
        labelOpacity = random.chance(0.2) ? 0 : random.uniform(0.4, 0.8)
        labelScale = random.uniform(0.075, 0.11)
        frameColour = random.pick(Self.frames)
        frameWidth = max(2, pixels(random.integer(2...6)))
        let wanted: [SpeakerFrame] = [.none, .outside, .outside, .over, .over]
        frame = random.pick(wanted)
        if frame == .outside, gutter < frameWidth || margin < frameWidth { frame = .over }
        let fills = Self.avatars.filter { abs($0.luma - background.luma) >= 20 }
        avatarFill = random.pick(fills)
        bars = random.chance(0.5) ? nil : random.pick(fills)
        tileAspect = random.pick([nil, 16.0 / 9, 16.0 / 9, 4.0 / 3, 1.0])
    }

    /// The colour of text on the background.
    var textOnBackground: GalleryColour { GalleryColour(background.luma > 128 ? 0x202124 : 0xe8eaed) }
}
