package import Platform
import Synchronization

/// A picture-sized layer on which effects are drawn before they are blended into the frame. The owner of a canvas
/// (`ParticleRenderer`, `InspectionPen`) uses it on one thread at a time.
///
/// Drawing only records commands. ``blend(into:hiding:)`` then processes the picture in bands of 16 rows. For each
/// band, a ``BandBrush`` executes the commands and blends the cells drawn on into the frame. With a helper thread, two
/// brushes process bands in parallel. Bands are independent, so the picture is the same.
///
/// Coordinates are in luma samples of the *stored* picture.
package struct BandCanvas: ~Copyable {
    package let width: Int
    package let height: Int
    private var brush: BandBrush
    private let helper: HelperThread?
    private let assistant: BandAssistant?
    /// The veils beneath everything.
    private var washes: [BlendWash] = []
    /// The colour encoding of the picture into which the canvas is blended. A shape or a sprite uses the encoding that
    /// is set when it is drawn.
    package var encoding = ColourEncoding.standard
    /// The commands, in drawing order.
    private var commands: [BandCommand] = []
    /// The index of the first command in front of people.
    private var firstInFront = 0

    /// Creates a transparent canvas.
    /// - Parameter helper: A thread that blends some of the bands.
    package init(width: Int, height: Int, helper: HelperThread? = nil) {
        self.width = width
        self.height = height
        self.helper = helper
        brush = BandBrush(width: width, height: height)
        assistant = helper.map { BandAssistant($0, width: width, height: height) }
    }

    /// Prepares the canvas, which must be empty, for pictures of a format.
    package mutating func fit(_ format: PictureFormat) {
        if width != format.width || height != format.height {
            self = BandCanvas(width: format.width, height: format.height, helper: helper)
        }
        encoding = ColourEncoding(format)
    }

    /// Puts all earlier commands behind people, and all later ones in front.
    package mutating func beginFront() { firstInFront = commands.count }

    /// Draws a veil over the picture, beneath all commands.
    package mutating func draw(_ wash: BlendWash) { washes.append(wash) }

    /// Draws a shape in one colour.
    ///
    /// - Parameter placement: Maps the shape's square −1…1 to stored pixels.
    /// - Complexity: Linear in the pixels covered. Shapes outside the picture cost nothing.
    package mutating func draw(
        _ shape: BandShape, placed placement: AffineTransform, colour: BandColour
    ) {
        let outline = BandOutline(placement, round: shape.isRound, within: (width, height)) { shape.isSoft($0) }
        if let outline {
            commands.append(BandCommand(outline: outline, paint: .shape(shape, colour.encoded(by: encoding))))
        }
    }

    /// Executes all commands, blends the result into a picture and clears the canvas.
    ///
    /// - Parameters:
    ///   - mask: The mask that hides the commands before ``beginFront()``.
    /// - Precondition: The picture and the mask have the canvas's size.
    /// - Complexity: Linear in the pixels of marked cells, and in all pixels if there is a veil.
    package mutating func blend(
        into picture: inout MutablePicture, hiding mask: BandMask? = nil
    ) {
        precondition(picture.format.width == width && picture.format.height == height)
        let drawing = BandDrawing(
            commands, behind: firstInFront, washes: washes, hiding: mask, width: width, height: height)
        if let assistant {
            assistant.paint(drawing, on: &picture, beside: &brush)
        } else {
            brush.paint(drawing, on: &picture)
        }
        commands.removeAll(keepingCapacity: true)
        washes.removeAll(keepingCapacity: true)
        firstInFront = 0
    }
}

extension BandCanvas {
    /// Draws a sprite, filtered bilinearly.
    ///
    /// - Parameters:
    ///   - placement: Maps the square −1…1 (the whole sprite) to stored pixels.
    ///   - opacity: 0…1.
    ///   - brightness: Scales the colours, 0…1; lower for shaded sprites.
    ///   - blur: The number of halvings of the sprite's size before it is drawn, for a soft result; may be fractional.
    package mutating func draw(
        _ sprite: BandSprite, placed placement: AffineTransform, opacity: Double,
        brightness: Double = 1, blur: Double = 0
    ) {
        let across = (placement.a * placement.a + placement.b * placement.b).squareRoot()
        let down = (placement.c * placement.c + placement.d * placement.d).squareRoot()
        let (scaleX, scaleY) = (2 * across / Double(sprite.width), 2 * down / Double(sprite.height))
        // A sprite far out of focus has so few texels in both directions that it can be drawn coarsely.
        let scale = blur < 1 ? max(scaleX, scaleY) : min(scaleX, scaleY)
        let level = sprite.level(forScale: scale, blur: blur)
        // The shape extends by half a texel, to where the edge has faded into the border.
        let grown = AffineTransform.scale(
            x: 1 + 1 / Double(level.width), y: 1 + 1 / Double(level.height)
        ).then(placement)
        let toTexels = placement.inverse.then(
            AffineTransform(
                a: Double(level.width) / 2, b: 0, c: 0, d: Double(level.height) / 2,
                tx: Double(level.width) / 2 - 0.5 + Double(BandSprite.border),
                ty: Double(level.height) / 2 - 0.5 + Double(BandSprite.border)))
        // A sprite that is drawn larger than its texels is linear between texels, so every second or fourth pixel is
        // sufficient.
        let pace = max(toTexels.a.magnitude, toTexels.b.magnitude)
        let isCoarse = max(pace, toTexels.c.magnitude, toTexels.d.magnitude) <= (blur < 1 ? 0.38 : 0.5)
        // A sampled texel of 255 has the value 255 · 256, and 255 · 256 · 16449 / 2¹⁶ is 1 in the canvas's units.
        let paint = BandSpritePaint(
            level: level, toTexels: toTexels, alphaScale: UInt16((16449 * min(opacity, 1)).rounded()),
            colourScale: UInt16(
                (16449 * min(opacity, 1) * encoding.encode(grey: min(max(brightness, 0), 1))).rounded()),
            every: pace > 0.38 && pace <= 0.75 ? 2 : 1)
        guard opacity > 0,
            let outline = BandOutline(grown, round: false, within: (width, height), coarse: { _ in isCoarse })
        else { return }
        commands.append(BandCommand(outline: outline, paint: .sprite(paint)))
    }
}

/// A second brush, on a separate thread, that processes bands of a picture in parallel with the canvas's brush.
private final class BandAssistant: Sendable {
    private let helper: HelperThread
    private let brush: Mutex<BandBrush>

    init(_ helper: HelperThread, width: Int, height: Int) {
        self.helper = helper
        brush = Mutex(BandBrush(width: width, height: height))
    }

    /// Draws with both brushes; returns when the drawing is complete.
    func paint(_ drawing: BandDrawing, on picture: inout MutablePicture, beside own: inout BandBrush) {
        // Both brushes write to the same memory, but never to the same rows.
        let (format, planes) = unsafe (picture.format, picture.memory)
        helper.share { [self] in
            var picture = unsafe MutablePicture(unsafeFormat: format, planes: planes)
            brush.withLock { $0.paint(drawing, on: &picture) }
        } beside: {
            own.paint(drawing, on: &picture)
        }
    }
}

/// The commands for one picture, sorted by the bands that they touch.
///
/// Two brushes on two threads may share a drawing. ``dequeueBand()``, the only method that changes it, gives each band
/// to one brush.
final class BandDrawing: Sendable {
    /// The commands in drawing order.
    let commands: [BandCommand]
    /// The index of the first command in front of people.
    let firstInFront: Int
    let washes: [BlendWash]
    /// The mask of people.
    let mask: BandMask?
    /// The light on people's outlines.
    let rim: BandRim?
    private let height: Int
    /// The number of the picture's bands.
    private let bandCount: Int
    /// The commands' indices, sorted by the bands that they touch, and the start of each band's indices. A tall command
    /// is in several bands.
    private let order, starts: [Int]
    private let nextBand = Atomic<Int>(0)

    /// - Parameters:
    ///   - firstInFront: The number of commands behind people.
    ///   - mask: The mask of the people who hide these commands.
    init(
        _ commands: [BandCommand], behind firstInFront: Int, washes: [BlendWash], hiding mask: BandMask?, width: Int,
        height: Int
    ) {
        self.commands = commands
        self.firstInFront = firstInFront
        self.washes = washes
        self.mask = mask
        self.height = height
        rim =
            mask == nil
            ? nil : BandRim(commands[..<min(firstInFront, commands.count)], width: width, height: height)
        bandCount = (height + BandGrid.bandHeight - 1) / BandGrid.bandHeight
        (order, starts) = Self.commandsByBand(commands, bandCount)
    }

    /// Claims the next band with commands.
    /// - Returns: The rows and the indices of the commands of the next band; `nil` if there are no more bands.
    func dequeueBand() -> (rows: Range<Int>, commands: ArraySlice<Int>)? {
        while true {
            let band = nextBand.add(1, ordering: .relaxed).oldValue
            if band >= bandCount { return nil }
            let top = band * BandGrid.bandHeight
            let indices = order[starts[band]..<starts[band + 1]]
            if rim != nil || !washes.isEmpty || !indices.isEmpty {
                return (top..<min(top + BandGrid.bandHeight, height), indices)
            }
        }
    }

    private static func commandsByBand(
        _ commands: [BandCommand], _ bandCount: Int
    ) -> (order: [Int], starts: [Int]) {
        var starts = [Int](repeating: 0, count: bandCount + 1)
        func bands(_ command: BandCommand) -> ClosedRange<Int> {
            let rows = command.outline.rows
            return rows.lowerBound / BandGrid.bandHeight...(rows.upperBound - 1) / BandGrid.bandHeight
        }
        for command in commands { for band in bands(command) { starts[band + 1] += 1 } }
        for band in 0..<bandCount { starts[band + 1] += starts[band] }
        var next = starts
        var order = [Int](repeating: 0, count: starts[bandCount])
        for (index, command) in commands.enumerated() {
            for band in bands(command) {
                order[next[band]] = index
                next[band] += 1
            }
        }
        return (order, starts)
    }
}
