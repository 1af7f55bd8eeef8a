import Effects
import MediaIO
import Pipeline
import Raster
import Reactions

/// Draws the results of the analysis over a picture.
///
/// All drawings scale with the picture's shorter side, and are upright.
///
/// Used by one thread at a time.
final class InspectionPainter {
    private var pen: InspectionPen
    private let pool: FramePool

    /// - Parameters:
    ///   - pool: The source of copies of frames.
    ///   - resources: The location of the labels' font.
    /// - Throws: ``FlourishError/Code/unavailable`` if the font is missing or damaged.
    init(pool: FramePool, resources: Resources) throws(FlourishError) {
        self.pool = pool
        pen = try InspectionPen(resources: resources)
    }

    /// Draws the scenes of all tiles, or of the whole picture, on a frame, which is copied first if its pixels are
    /// shared. The corner shows the state of the scene that is nearest to a reaction.
    ///
    /// - Parameter caption: The text about the frame itself, and about the last gesture that fired.
    /// - Throws: `MediaError` without memory.
    func draw(_ scenes: [InspectionScene], _ caption: InspectionCaption, on frame: inout VideoFrame) throws {
        let leading = scenes.max { $0.rank < $1.rank } ?? InspectionScene()
        let geometry = frame.geometry
        try frame.withMutablePicture(pool: pool) { picture in
            pen.begin(picture.format, geometry)
            var layout = InspectionLayout(width: geometry.uprightWidth, height: geometry.uprightHeight)
            drawStatus(leading, caption, &layout)
            for hand in scenes.flatMap(\.hands) {
                layout.avoid(hand: hand.points.map(layout.pixel))
                drawSkeleton(hand, layout)
            }
            for scene in scenes {
                for hand in scene.hands { drawLabel(hand, scene.phase, &layout) }
            }
            pen.finish(&picture)
        }
    }

    // MARK: Hands

    private func drawSkeleton(_ hand: InspectionScene.Hand, _ layout: InspectionLayout) {
        guard hand.points.count == HandSkeleton.pointCount else { return }
        let points = hand.points.map(layout.pixel)
        let width = layout.boneWidth(points)
        let shade = layout.unit * 0.12 + width * 0.35
        for bone in HandSkeleton.bones {
            pen.line(
                from: points[bone.from], to: points[bone.to], width: width + shade, .black, opacity: 0.55)
        }
        let palm = hand.isRight ? EffectColour.right : .left
        for bone in HandSkeleton.bones {
            let colour = bone.finger.map { EffectColour.fingers[$0] } ?? palm
            pen.line(from: points[bone.from], to: points[bone.to], width: width, colour)
        }
        for (index, point) in points.enumerated() {
            let finger = HandSkeleton.finger(of: index)
            pen.dot(point, radius: width * 1.15, finger.map { EffectColour.fingers[$0] } ?? palm)
            pen.dot(point, radius: width * 0.62, .white)
        }
    }

    /// Draws the hand's label, with a dial that fills while its gesture is held.
    private func drawLabel(
        _ hand: InspectionScene.Hand, _ phase: InspectionScene.Phase, _ layout: inout InspectionLayout
    ) {
        var lines = [
            InspectionLine(hand.title, TextStyle(size: layout.text, colour: .white)),
            InspectionLine(hand.detail, TextStyle(size: layout.smallText, colour: .faint)),
        ]
        if let reason = hand.reason {
            lines.append(InspectionLine(reason, TextStyle(size: layout.smallText, colour: .pending)))
        }
        lines = wrapped(lines, within: layout.lineLimit - layout.stripe - layout.dialWidth)
        let size = measure(lines, layout)
        let box = layout.place(
            width: size.width + layout.dialWidth, height: size.height,
            beside: hand.points.map(layout.pixel))
        drawPanel(lines, in: box, stripe: hand.isRight ? .right : .left, layout)
        guard hand.takesPart, let share = phase.share, let colour = phase.colour else { return }
        let centre = PixelPoint(x: box.right - layout.padding - layout.dialRadius, y: box.middle.y)
        let width = layout.dialRadius * 0.36
        pen.ring(centre, radius: layout.dialRadius - width / 2, width: width, share: 1, .white, opacity: 0.22)
        pen.ring(centre, radius: layout.dialRadius - width / 2, width: width, share: share, colour)
    }

    // MARK: The corner

    private func drawStatus(
        _ scene: InspectionScene, _ caption: InspectionCaption, _ layout: inout InspectionLayout
    ) {
        let small = layout.smallText
        let colour = scene.phase.colour ?? .pending
        var lines = [
            InspectionLine(caption.clock, TextStyle(size: small, colour: .faint)),
            InspectionLine(
                scene.gesture ?? (scene.hands.isEmpty ? "no hand" : "no gesture"),
                TextStyle(size: layout.text, colour: .white)),
        ]
        if !scene.hands.isEmpty {
            lines.append(InspectionLine(scene.reason, TextStyle(size: small, colour: colour)))
        }
        if let share = scene.phase.share { lines.append(InspectionLine(bar: share, colour)) }
        if let fired = caption.fired {
            lines.append(InspectionLine(fired, TextStyle(size: small, colour: .fired)))
        }
        lines = wrapped(lines, within: layout.lineLimit)
        let size = measure(lines, layout)
        let box = layout.corner(width: max(size.width, layout.unit * 15), height: size.height)
        drawPanel(lines, in: box, stripe: nil, layout)
    }

    // MARK: Panels

    /// Returns the lines, broken if they are too long for the picture.
    private func wrapped(_ lines: [InspectionLine], within limit: Double) -> [InspectionLine] {
        lines.flatMap { line in
            guard let style = line.style else { return [line] }
            return pen.wrapped(line.text, style, within: limit).map { InspectionLine($0, style) }
        }
    }

    private func measure(
        _ lines: [InspectionLine], _ layout: InspectionLayout
    ) -> (width: Double, height: Double) {
        var width = 0.0
        var height = 0.0
        for line in lines {
            if let style = line.style { width = max(width, pen.width(of: line.text, style)) }
            height += line.height(layout)
        }
        return (width.rounded() + 2 * layout.padding + layout.stripe, height + 2 * layout.padding * 0.8)
    }

    private func drawPanel(
        _ lines: [InspectionLine], in box: Rectangle, stripe: EffectColour?, _ layout: InspectionLayout
    ) {
        pen.fill(box, radius: layout.unit * 0.45, .panel, opacity: 0.76)
        if let stripe {
            let inset = layout.unit * 0.4
            pen.fill(
                Rectangle(
                    left: box.left + inset, top: box.top + inset, width: layout.stripe * 0.6,
                    height: box.height - 2 * inset),
                radius: layout.stripe, stripe)
        }
        let left = box.left + layout.padding + (stripe == nil ? 0 : layout.stripe)
        var top = box.top + layout.padding * 0.8
        for line in lines {
            let height = line.height(layout)
            if let style = line.style {
                let baseline = top + (height + Double(style.size.cap)) / 2
                pen.write(line.text, at: PixelPoint(x: left, y: baseline), style)
            } else {
                let width = box.right - layout.padding - left
                var bar = Rectangle(left: left, top: top + height * 0.3, width: width, height: height * 0.4)
                pen.fill(bar, radius: bar.height / 2, .white, opacity: 0.22)
                bar.right = left + max(bar.height, width * line.share)
                pen.fill(bar, radius: bar.height / 2, line.colour)
            }
            top += height
        }
    }
}

/// The text about a frame, in addition to the results of the analysis.
struct InspectionCaption {
    /// A text such as "0:02.480  frame 62".
    var clock: String
    /// A text such as "balloons fired at 0:02.480", which is shown for a while.
    var fired: String?
}

/// A line of a panel: text, or a bar that fills up.
private struct InspectionLine {
    let text: String
    let style: TextStyle?
    let share: Double
    let colour: EffectColour

    init(_ text: String, _ style: TextStyle) {
        (self.text, self.style, share, colour) = (text, style, 0, style.colour)
    }

    /// - Parameter share: The filled share of the bar, 0…1.
    init(bar share: Double, _ colour: EffectColour) {
        (text, style, self.share, self.colour) = ("", nil, min(max(share, 0), 1), colour)
    }

    func height(_ layout: InspectionLayout) -> Double {
        style.map { Double($0.size.lineHeight) } ?? (layout.unit * 0.85).rounded()
    }
}

extension InspectionScene.Phase {
    fileprivate var colour: EffectColour? {
        switch self {
        case .none: nil
        case .holding: .pending
        case .fired: .fired
        case .resting: .resting
        }
    }

    /// The filled share of the ring and of the bar.
    fileprivate var share: Double? {
        switch self {
        case .none: nil
        case .holding(let share): share
        case .fired: 1
        case .resting(let share): share
        }
    }
}

/// The layout of labels and panels in an inspected picture, in upright pixels.
struct InspectionLayout {
    let width, height: Double
    /// The height of a capital letter in pixels, to which all sizes of the layout are proportional.
    let unit: Double
    let text, smallText: TextSize
    private var taken: [Rectangle] = []
    private var hands: [Rectangle] = []

    /// Creates the layout for an upright picture of a size.
    init(width: Double, height: Double) {
        self.width = width
        self.height = height
        let side = min(width, height)
        text = TextSize(cap: 2.5 + side * 0.0175)
        smallText = TextSize(cap: 2 + side * 0.0145)
        unit = Double(text.cap)
    }

    var padding: Double { (unit * 0.8).rounded() }
    /// The width of a hand's coloured stripe.
    var stripe: Double { max(3, (unit * 0.45).rounded()) }

    /// The maximum width of a panel's line.
    var lineLimit: Double { width - 2 * (unit * 0.7).rounded() - 2 * padding }

    /// The radius of the dial in a hand's label, and the width that the dial takes there, in pixels.
    var dialRadius: Double { (unit * 0.95).rounded() }
    var dialWidth: Double { 2 * dialRadius + padding }

    func pixel(_ point: PicturePoint) -> PixelPoint { PixelPoint(x: point.x * width, y: point.y * height) }

    /// Returns the width of a hand's bones: proportional to the hand, with a visible minimum.
    func boneWidth(_ points: [PixelPoint]) -> Double {
        let box = Self.bounds(of: points)
        return min(max(max(box.width, box.height) * 0.022, unit * 0.16), unit * 0.42)
    }

    /// Returns the box in the upper left corner.
    mutating func corner(width: Double, height: Double) -> Rectangle {
        let margin = (unit * 0.7).rounded()
        let box = Rectangle(left: margin, top: margin, width: width, height: height)
        taken.append(box)
        return box
    }

    /// Records the place of a hand, which labels should leave free.
    mutating func avoid(hand points: [PixelPoint]) { hands.append(Self.bounds(of: points)) }

    /// Returns a place for a box near a hand, inside the picture: above, below or next to the hand, or otherwise where
    /// the box hides the least.
    mutating func place(width: Double, height: Double, beside points: [PixelPoint]) -> Rectangle {
        let hand = Self.bounds(of: points)
        let gap = unit * 1.2
        let centre = hand.middle
        var candidates = [
            (centre.x - width / 2, hand.top - gap - height), (centre.x - width / 2, hand.bottom + gap),
            (hand.right + gap, centre.y - height / 2), (hand.left - gap - width, centre.y - height / 2),
        ]
        for row in 0..<12 {
            for column in 0..<12 {
                candidates.append((self.width * Double(column) / 12, self.height * Double(row) / 12))
            }
        }
        var best = (box: hand, cost: Double.infinity)
        for wish in candidates {
            let box = inside(Rectangle(left: wish.0, top: wish.1, width: width, height: height))
            let hidden = taken.reduce(0) { $0 + 10 * box.overlap($1) } + hands.reduce(0) { $0 + box.overlap($1) }
            let cost = hidden / (width * height) + box.distance(to: hand) / (self.width + self.height)
            if cost < best.cost { best = (box, cost) }
        }
        taken.append(best.box)
        return best.box
    }

    /// Returns the box moved into the picture, to whole pixels.
    private func inside(_ box: Rectangle) -> Rectangle {
        let margin = (unit * 0.5).rounded()
        func kept(_ start: Double, _ length: Double, _ whole: Double) -> Double {
            max(margin, min(start, whole - margin - length)).rounded()
        }
        return Rectangle(
            left: kept(box.left, box.width, width), top: kept(box.top, box.height, height), width: box.width,
            height: box.height)
    }

    private static func bounds(of points: [PixelPoint]) -> Rectangle {
        let (across, down) = (points.map(\.x), points.map(\.y))
        return Rectangle(
            left: across.min() ?? 0, top: down.min() ?? 0, right: across.max() ?? 0, bottom: down.max() ?? 0)
    }
}
