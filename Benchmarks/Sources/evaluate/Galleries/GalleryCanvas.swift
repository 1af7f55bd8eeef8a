import Foundation

/// A picture with straight alpha that is laid over the videos of a composite: opaque between the tiles.
struct GalleryCanvas: Sendable {
    let width: Int
    let height: Int
    private var bytes: [UInt8]

    /// - Parameters:
    ///   - colour: that of all pixels; they are transparent where it is absent.
    init(width: Int, height: Int, colour: GalleryColour?) {
        self.width = width
        self.height = height
        guard let colour else {
            bytes = [UInt8](repeating: 0, count: width * height * 4)
            return
        }
        bytes = []
        bytes.reserveCapacity(width * height * 4)
        for _ in 0..<width * height { bytes += [colour.red, colour.green, colour.blue, 255] }
    }

    mutating func fill(_ rect: GalleryRect, _ colour: GalleryColour, radius: Int = 0, opacity: Double = 1) {
        for (index, coverage) in Self.covered(rect, radius: radius, within: (width, height)) {
            blend(index, colour, coverage * opacity)
        }
    }

    /// Makes the pixels of a rounded rectangle transparent.
    mutating func clear(_ rect: GalleryRect, radius: Int = 0) {
        for (index, coverage) in Self.covered(rect, radius: radius, within: (width, height)) {
            let place = index * 4 + 3
            bytes[place] = UInt8((Double(bytes[place]) * (1 - coverage)).rounded())
        }
    }

    /// Fills the border within a rounded rectangle.
    mutating func stroke(_ rect: GalleryRect, _ colour: GalleryColour, radius: Int, width lineWidth: Int) {
        let inner = rect.inset(by: lineWidth)
        let innerRadius = max(0, radius - lineWidth)
        for (index, coverage) in Self.covered(rect, radius: radius, within: (width, height)) {
            let hole = Self.coverage(of: inner, radius: innerRadius, x: index % width, y: index / width)
            if coverage > hole { blend(index, colour, coverage - hole) }
        }
    }

    mutating func fillDisc(x: Int, y: Int, radius: Int, _ colour: GalleryColour) {
        fill(
            GalleryRect(x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius), colour, radius: radius)
    }

    /// Portable arbitrary map, which FFmpeg reads.
    func write(to file: URL) throws {
        let header =
            "P7\nWIDTH \(width)\nHEIGHT \(height)\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
        try (Data(header.utf8) + Data(bytes)).write(to: file)
    }

    /// Source-over compositing with straight alpha.
    private mutating func blend(_ index: Int, _ colour: GalleryColour, _ opacity: Double) {
        let place = index * 4
        if opacity >= 1 {
            bytes[place] = colour.red
            bytes[place + 1] = colour.green
            bytes[place + 2] = colour.blue
            bytes[place + 3] = 255
            return
        }
        let below = Double(bytes[place + 3]) / 255 * (1 - opacity)
        let sum = below + opacity
        guard sum > 0 else { return }
        for (channel, value) in [colour.red, colour.green, colour.blue].enumerated() {
            let mixed = (Double(value) * opacity + Double(bytes[place + channel]) * below) / sum
            bytes[place + channel] = UInt8(mixed.rounded())
        }
        bytes[place + 3] = UInt8((sum * 255).rounded())
    }

    /// The pixels of a rounded rectangle with how much of each it covers.
    private static func covered(
        _ rect: GalleryRect, radius: Int, within size: (width: Int, height: Int)
    ) -> some Sequence<(index: Int, coverage: Double)> {
        let rows = max(0, rect.y)..<max(max(0, rect.y), min(size.height, rect.bottom))
        let columns = max(0, rect.x)..<max(max(0, rect.x), min(size.width, rect.right))
        return rows.lazy.flatMap { y in
            columns.lazy.map { x in
                (index: y * size.width + x, coverage: coverage(of: rect, radius: radius, x: x, y: y))
            }
        }
    }

    private static func coverage(of rect: GalleryRect, radius: Int, x: Int, y: Int) -> Double {
        guard x >= rect.x, x < rect.right, y >= rect.y, y < rect.bottom else { return 0 }
        let radius = min(radius, rect.width / 2, rect.height / 2)
        let across = max(rect.x + radius - x - 1, x - (rect.right - radius)) + 1
        let down = max(rect.y + radius - y - 1, y - (rect.bottom - radius)) + 1
        guard across > 0, down > 0 else { return 1 }
        let horizontal = Double(across) - 0.5
        let vertical = Double(down) - 0.5
        let distance = (horizontal * horizontal + vertical * vertical).squareRoot()
        return max(0, min(1, Double(radius) - distance + 0.5))
    }
}
