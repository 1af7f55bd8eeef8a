import Platform

/// Lines that a pen follows, as points joined by straight pieces.
struct StrokePath: Sendable {
    struct Point: Sendable, Hashable {
        var x, y: Double
    }

    /// Each a stroke of one point (a dot) or more.
    private(set) var strokes: [[Point]] = []

    /// Reads strokes that are separated by `|`. Each is a row of commands, all absolute:
    ///
    /// - `M x y` begins at a point, `L x y` goes straight to one, `H x` across, `V y` up or down.
    /// - `C x y x y x y` is a cubic Bézier curve.
    /// - `E x y rx ry a b` is the part of an ellipse about (x, y) from the angle a to b, in
    ///   degrees against the clock; the pen first goes straight to its beginning.
    ///
    /// - Precondition: the text is of this form. It is part of the program.
    init(_ text: String) {
        for stroke in text.split(separator: "|") { strokes.append(Self.points(of: stroke)) }
    }

    private static func points(of stroke: Substring) -> [Point] {
        var points: [Point] = []
        var words = stroke.split(separator: " ")[...]
        while let word = words.popFirst() {
            let command = word.first!
            var numbers = word.count > 1 ? [Double(word.dropFirst())!] : []
            while let next = words.first.flatMap({ Double($0) }) {
                numbers.append(next)
                words.removeFirst()
            }
            append(command, numbers, to: &points)
        }
        return points
    }

    private static func append(_ command: Character, _ n: [Double], to points: inout [Point]) {
        switch command {
        case "M", "L": points.append(Point(x: n[0], y: n[1]))
        case "H": points.append(Point(x: n[0], y: points.last!.y))
        case "V": points.append(Point(x: points.last!.x, y: n[0]))
        case "C":
            let from = points.last!
            for step in 1...8 {
                let t = Double(step) / 8
                let s = 1 - t
                let (a, b, c, d) = (s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t)
                points.append(
                    Point(
                        x: a * from.x + b * n[0] + c * n[2] + d * n[4],
                        y: a * from.y + b * n[1] + c * n[3] + d * n[5]))
            }
        case "E":
            let steps = max(2, Int(((n[5] - n[4]).magnitude / 15).rounded(.up)))
            for step in 0...steps {
                let angle = (n[4] + (n[5] - n[4]) * Double(step) / Double(steps)) * .pi / 180
                points.append(Point(x: n[0] + n[2] * cos(angle), y: n[1] + n[3] * sin(angle)))
            }
        default: preconditionFailure("no such command: \(command)")
        }
    }
}
