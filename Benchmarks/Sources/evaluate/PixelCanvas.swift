import Foundation

/// An RGB picture of bytes to draw on.
struct PixelCanvas: Sendable {
    struct Colour: Sendable {
        var red, green, blue: UInt8
        static let background = Colour(red: 24, green: 24, blue: 28)
        static let bone = Colour(red: 255, green: 210, blue: 0)
        static let joint = Colour(red: 255, green: 40, blue: 90)
    }

    let width: Int
    let height: Int
    private var bytes: [UInt8]

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        bytes = []
        bytes.reserveCapacity(width * height * 3)
        let colour = Colour.background
        for _ in 0..<(width * height) { bytes += [colour.red, colour.green, colour.blue] }
    }

    /// Reads a binary PPM with 8 bits a sample (https://netpbm.sourceforge.net/doc/ppm.html), as written by FFmpeg:
    /// without comments.
    init?(ppm data: Data) {
        let head = data.prefix(40).split(maxSplits: 4, omittingEmptySubsequences: true) {
            $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ")
        }
        let words = head.prefix(4).map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 4, words[0] == "P6", words[3] == "255", let width = Int(words[1]),
            let height = Int(words[2]), width > 0, height > 0
        else { return nil }
        let pixels = data.suffix(width * height * 3)
        guard pixels.count == width * height * 3 else { return nil }
        self.width = width
        self.height = height
        bytes = Array(pixels)
    }

    var ppm: Data { Data("P6\n\(width) \(height)\n255\n".utf8) + Data(bytes) }

    mutating func dot(x: Double, y: Double, radius: Int, _ colour: Colour) {
        let column = Int(x.rounded()), row = Int(y.rounded())
        for v in (row - radius)...(row + radius) {
            for u in (column - radius)...(column + radius) {
                guard v >= 0, v < height, u >= 0, u < width else { continue }
                let at = 3 * (v * width + u)
                bytes[at] = colour.red
                bytes[at + 1] = colour.green
                bytes[at + 2] = colour.blue
            }
        }
    }

    mutating func line(from a: (x: Double, y: Double), to b: (x: Double, y: Double), _ colour: Colour) {
        let steps = Int(max(abs(a.x - b.x), abs(a.y - b.y)).rounded(.up))
        guard steps < 10_000 else { return }
        for step in 0...max(1, steps) {
            let part = Double(step) / Double(max(1, steps))
            dot(x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part, radius: 0, colour)
        }
    }

    /// Draws the 21 points of a hand, in fractions of this picture.
    mutating func draw(hand landmarks: [[Double]]) {
        let points = landmarks.map { (x: $0[0] * Double(width), y: $0[1] * Double(height)) }
        guard points.count == 21 else { return }
        for finger in 0..<5 {
            let joints = [0] + (1...4).map { 4 * finger + $0 }
            for (a, b) in zip(joints, joints.dropFirst()) { line(from: points[a], to: points[b], .bone) }
        }
        for (a, b) in [(5, 9), (9, 13), (13, 17)] { line(from: points[a], to: points[b], .bone) }
        for point in points { dot(x: point.x, y: point.y, radius: 1, .joint) }
    }

    /// Copies a picture in, clipped at the edges.
    mutating func place(_ picture: PixelCanvas, left: Int, top: Int) {
        let columns = min(picture.width, width - left)
        guard columns > 0 else { return }
        for row in 0..<min(picture.height, max(0, height - top)) {
            let from = 3 * row * picture.width, to = 3 * ((top + row) * width + left)
            bytes.replaceSubrange(
                to..<(to + 3 * columns), with: picture.bytes[from..<(from + 3 * columns)])
        }
    }
}
