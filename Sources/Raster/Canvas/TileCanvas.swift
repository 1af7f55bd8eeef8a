package import Platform

/// A picture-sized layer on which effects are drawn before they meet the frame.
///
/// Drawing only takes note of what is wanted. ``blend(into:hiding:)`` then
/// goes down the picture in bands one tile high: a ``TileBrush`` draws all that lies in a
/// band and blends what was touched of it into the frame. Where there is a helper, two brushes take
/// bands in turn; bands do not depend on each other, so that the picture is the same.
///
/// Coordinates are those of the *stored* picture's luma samples.
package struct TileCanvas: ~Copyable {
    package let width: Int
    package let height: Int
    private var brush: TileBrush
    private let assistant: TileAssistant?
    /// The veils that lie beneath everything.
    private var washes: [TileVeil] = []
    /// How the picture that this one is blended into encodes colours. Shapes and sprites keep to
    /// what it is when they are drawn.
    package var encoding = ColourEncoding.standard
    /// What is to be drawn, in this order.
    private var commands: [TileCommand] = []
    /// The commands before this one are behind people.
    private var firstInFront = 0

    /// A transparent canvas.
    /// - Parameter helper: a thread that blends some of the bands.
    package init(width: Int, height: Int, helper: HelperThread? = nil) {
        self.width = width
        self.height = height
        brush = TileBrush(width: width, height: height)
        assistant = helper.map { TileAssistant($0, width: width, height: height) }
    }

    /// Puts all that was drawn so far behind people, and all that follows in front.
    package mutating func beginFront() { firstInFront = commands.count }

    /// Lays a veil over the picture, beneath everything that is drawn.
    /// - Parameter share: how much of it lies on people: 0 leaves them as they are, 1 veils them as the room.
    package mutating func draw(_ wash: BlendWash, onPeople share: Double) {
        washes.append(TileVeil(wash: wash, onPeople: share))
    }

    /// Draws a shape in one colour.
    ///
    /// - Parameter placement: carries the shape's square −1…1 to stored pixels.
    /// - Complexity: linear in the pixels covered. Shapes outside cost nothing.
    package mutating func draw(
        _ shape: TileShape, placed placement: AffineTransform, colour: TileColour
    ) {
        let outline = TileOutline(placement, round: shape.isRound, within: (width, height)) { shape.isSoft($0) }
        if let outline {
            add(TileCommand(outline: outline, paint: .shape(shape, colour.encoded(by: encoding))))
        }
    }

    mutating func add(_ command: TileCommand) { commands.append(command) }

    /// Draws everything that was asked for, blends it into a picture and forgets it.
    ///
    /// - Parameters:
    ///   - mask: hides what was drawn before ``beginFront()``.
    /// - Precondition: the picture and the mask have the canvas's size.
    /// - Complexity: linear in the pixels of touched cells, and in all of them where there is a veil.
    package mutating func blend(
        into picture: inout MutablePicture, hiding mask: TileMask? = nil
    ) {
        precondition(picture.format.width == width && picture.format.height == height)
        let drawing = TileDrawing(
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
