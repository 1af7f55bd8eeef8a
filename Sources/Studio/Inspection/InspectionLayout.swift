import Reactions

/// Where things stand in an inspected picture, in upright pixels.
struct InspectionLayout {
    let width, height: Double
    /// The height of a capital, the measure of all else.
    let unit: Double
    let text, smallText: TextSize
    private var taken: [InspectionBox] = []
    private var hands: [InspectionBox] = []

    /// The layout for an upright picture of this size.
    init(width: Double, height: Double) {
        self.width = width
        self.height = height
        let side = min(width, height)
        text = TextSize(cap: 2.5 + side * 0.0175)
        smallText = TextSize(cap: 2 + side * 0.0145)
        unit = Double(text.cap)
    }

    var padding: Double { (unit * 0.8).rounded() }
    /// The width that a hand's coloured stripe takes.
    var stripe: Double { max(3, (unit * 0.45).rounded()) }

    /// The widest that a line of a panel may be.
    var lineLimit: Double { width - 2 * (unit * 0.7).rounded() - 2 * padding }

    /// The size of the dial in a hand's label, and the width that it takes there.
    var dialRadius: Double { (unit * 0.95).rounded() }
    var dialWidth: Double { 2 * dialRadius + padding }

    func pixel(_ point: PicturePoint) -> PixelPoint { PixelPoint(x: point.x * width, y: point.y * height) }

    /// How thick a hand's bones are: in proportion to the hand, and never too thin to see.
    func boneWidth(_ points: [PixelPoint]) -> Double {
        let box = Self.bounds(of: points)
        return min(max(max(box.width, box.height) * 0.022, unit * 0.16), unit * 0.42)
    }

    /// The box in the upper left corner.
    mutating func corner(width: Double, height: Double) -> InspectionBox {
        let margin = (unit * 0.7).rounded()
        let box = InspectionBox(left: margin, top: margin, width: width, height: height)
        taken.append(box)
        return box
    }

    /// Notes where hands are, which labels should leave free.
    mutating func note(hand points: [PixelPoint]) { hands.append(Self.bounds(of: points)) }

    /// A place for a box near a hand, inside the picture: above, below or at a side of it, or else
    /// where the least is hidden.
    mutating func place(width: Double, height: Double, beside points: [PixelPoint]) -> InspectionBox {
        let hand = Self.bounds(of: points)
        let gap = unit * 1.2
        let centre = hand.middle
        var wishes = [
            (centre.x - width / 2, hand.top - gap - height), (centre.x - width / 2, hand.bottom + gap),
            (hand.right + gap, centre.y - height / 2), (hand.left - gap - width, centre.y - height / 2),
        ]
        for row in 0..<12 {
            for column in 0..<12 {
                wishes.append((self.width * Double(column) / 12, self.height * Double(row) / 12))
            }
        }
        var best = (box: hand, cost: Double.infinity)
        for wish in wishes {
            let box = inside(InspectionBox(left: wish.0, top: wish.1, width: width, height: height))
            let hidden = taken.reduce(0) { $0 + 10 * box.overlap($1) } + hands.reduce(0) { $0 + box.overlap($1) }
            let cost = hidden / (width * height) + box.distance(to: hand) / (self.width + self.height)
            if cost < best.cost { best = (box, cost) }
        }
        taken.append(best.box)
        return best.box
    }

    /// The box moved into the picture, to whole pixels.
    private func inside(_ box: InspectionBox) -> InspectionBox {
        let margin = (unit * 0.5).rounded()
        func kept(_ start: Double, _ length: Double, _ whole: Double) -> Double {
            max(margin, min(start, whole - margin - length)).rounded()
        }
        var moved = box
        moved.left = kept(box.left, box.width, width)
        moved.top = kept(box.top, box.height, height)
        return moved
    }

    private static func bounds(of points: [PixelPoint]) -> InspectionBox {
        guard let first = points.first else { return InspectionBox(left: 0, top: 0, width: 0, height: 0) }
        var (left, right, top, bottom) = (first.x, first.x, first.y, first.y)
        for point in points {
            left = min(left, point.x)
            right = max(right, point.x)
            top = min(top, point.y)
            bottom = max(bottom, point.y)
        }
        return InspectionBox(left: left, top: top, width: right - left, height: bottom - top)
    }
}
