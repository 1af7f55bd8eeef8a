import MediaIO
import Pipeline
import Raster
import Reactions

/// Draws what was seen over the picture in which it was seen.
///
/// Everything scales with the picture's shorter side, and stands upright.
///
/// Used by one thread at a time.
final class InspectionPainter {
    private var pen: InspectionPen
    private let pool: FramePool

    /// - Parameters:
    ///   - pool: where copies of frames come from.
    ///   - resources: where the font of labels lies.
    /// - Throws: ``FlourishError/Code/unavailable`` if the font is missing or damaged.
    init(pool: FramePool, resources: Resources) throws(FlourishError) {
        self.pool = pool
        pen = InspectionPen(font: try LabelFont(resources: resources))
    }

    /// Draws a scene on a frame, which is copied first if somebody else may see its pixels.
    ///
    /// - Parameter caption: what is said of the frame itself, and of what fired before it.
    /// - Throws: `MediaError` where there is no memory.
    func draw(_ scene: InspectionScene, _ caption: InspectionCaption, on frame: inout VideoFrame) throws {
        let geometry = frame.geometry
        try frame.withMutablePicture(pool: pool) { picture in
            pen.begin(picture.format, geometry)
            var layout = InspectionLayout(width: geometry.uprightWidth, height: geometry.uprightHeight)
            drawStatus(scene, caption, &layout)
            for hand in scene.hands {
                layout.note(hand: hand.points.map(layout.pixel))
                drawSkeleton(hand, layout)
            }
            for hand in scene.hands { drawLabel(hand, scene.phase, &layout) }
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
                from: points[bone.from], to: points[bone.to], width: width + shade, .shade, opacity: 0.55)
        }
        let palm = hand.isRight ? InspectionColour.right : .left
        for bone in HandSkeleton.bones {
            let colour = bone.finger.map { InspectionColour.fingers[$0] } ?? palm
            pen.line(from: points[bone.from], to: points[bone.to], width: width, colour)
        }
        for (index, point) in points.enumerated() {
            let finger = HandSkeleton.finger(of: index)
            pen.dot(point, radius: width * 1.15, finger.map { InspectionColour.fingers[$0] } ?? palm)
            pen.dot(point, radius: width * 0.62, .text)
        }
    }

    /// The hand's label; a dial in it fills while its gesture is held.
    private func drawLabel(
        _ hand: InspectionScene.Hand, _ phase: InspectionScene.Phase, _ layout: inout InspectionLayout
    ) {
        var lines = [
            InspectionLine(hand.title, TextStyle(size: layout.text, colour: .text)),
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
        pen.ring(centre, radius: layout.dialRadius - width / 2, width: width, share: 1, .text, opacity: 0.22)
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
                TextStyle(size: layout.text, colour: .text)),
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

    /// The lines, those that are too long for the picture broken.
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
        _ lines: [InspectionLine], in box: InspectionBox, stripe: InspectionColour?, _ layout: InspectionLayout
    ) {
        pen.fill(box, radius: layout.unit * 0.45, .panel, opacity: 0.76)
        if let stripe {
            let inset = layout.unit * 0.4
            pen.fill(
                InspectionBox(
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
                var bar = InspectionBox(left: left, top: top + height * 0.3, width: width, height: height * 0.4)
                pen.fill(bar, radius: bar.height / 2, .text, opacity: 0.22)
                bar.width = max(bar.height, width * line.share)
                pen.fill(bar, radius: bar.height / 2, line.colour)
            }
            top += height
        }
    }
}

/// What is said of a frame beside what was seen.
struct InspectionCaption {
    /// "0:02.480  frame 62"
    var clock: String
    /// "balloons fired at 0:02.480", for a while.
    var fired: String?
}

/// A line of a panel: text, or a bar that fills up.
struct InspectionLine {
    let text: String
    let style: TextStyle?
    let share: Double
    let colour: InspectionColour

    init(_ text: String, _ style: TextStyle) {
        (self.text, self.style, share, colour) = (text, style, 0, style.colour)
    }

    /// - Parameter share: how full it is, 0…1.
    init(bar share: Double, _ colour: InspectionColour) {
        (text, style, self.share, self.colour) = ("", nil, min(max(share, 0), 1), colour)
    }

    func height(_ layout: InspectionLayout) -> Double {
        style.map { Double($0.size.lineHeight) } ?? (layout.unit * 0.85).rounded()
    }
}

extension InspectionScene.Phase {
    fileprivate var colour: InspectionColour? {
        switch self {
        case .none: nil
        case .holding: .pending
        case .fired: .fired
        case .resting: .resting
        }
    }

    /// How full ring and bar are.
    fileprivate var share: Double? {
        switch self {
        case .none: nil
        case .holding(let share): share
        case .fired: 1
        case .resting(let share): share
        }
    }
}
