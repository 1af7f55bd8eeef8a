internal import Platform
import Raster

/// Up to 256 colours that represent all colours of an image.
///
/// Median cut (Heckbert, "Color image quantization for frame buffer display", 1982) over a histogram with 5 bits a
/// channel. Boxes are parts of the colour space. The box with the largest product of pixels and squared length is
/// halved at the median of its longest side, until there are enough boxes.
struct GIFPalette {
    /// The colours as red, green and blue.
    private(set) var colours: [(UInt8, UInt8, UInt8)] = []
    /// The nearest colour for each of the histogram's 32 768 cells, computed on first use.
    private var nearest = [Int16](repeating: -1, count: 32768)

    private struct Box {
        var cells: [Int]
        var pixels: Int
        var axis: Int
        var length: Int
    }

    init(of image: RGBAImage, count: Int = 256) {
        var histogram = [Int](repeating: 0, count: 32768)
        for i in stride(from: 0, to: image.pixels.count, by: 4) {
            histogram[Self.cell(Int(image.pixels[i]), Int(image.pixels[i + 1]), Int(image.pixels[i + 2]))] += 1
        }
        var boxes = [Self.box(histogram.indices.filter { histogram[$0] > 0 }, histogram)]
        while boxes.count < count {
            let widest = boxes.indices.max { Self.weight(boxes[$0]) < Self.weight(boxes[$1]) }
            guard let index = widest, boxes[index].cells.count > 1 else { break }
            let (low, high) = Self.halves(of: boxes[index], histogram)
            boxes[index] = Self.box(low, histogram)
            boxes.append(Self.box(high, histogram))
        }
        colours = boxes.map { Self.mean($0, histogram) }
    }

    /// Returns the index of the nearest colour; values outside 0…255 are clamped.
    mutating func index(red: Int, green: Int, blue: Int) -> UInt8 {
        let (r, g, b) = (min(255, max(0, red)), min(255, max(0, green)), min(255, max(0, blue)))
        let cell = Self.cell(r, g, b)
        if nearest[cell] < 0 {
            var best = 0, bestDistance = Int.max
            for (i, colour) in colours.enumerated() {
                // The weights approximate the eye's sensitivity to each channel.
                let (dr, dg, db) = (Int(colour.0) - r, Int(colour.1) - g, Int(colour.2) - b)
                let distance = 3 * dr * dr + 6 * dg * dg + db * db
                if distance < bestDistance { (best, bestDistance) = (i, distance) }
            }
            nearest[cell] = Int16(best)
        }
        return UInt8(nearest[cell])
    }

    private static func cell(_ r: Int, _ g: Int, _ b: Int) -> Int { (r >> 3) << 10 | (g >> 3) << 5 | b >> 3 }

    private static func channel(_ cell: Int, _ axis: Int) -> Int { cell >> (10 - 5 * axis) & 31 }

    private static func weight(_ box: Box) -> Int { box.pixels * box.length * box.length }

    private static func box(_ cells: [Int], _ histogram: [Int]) -> Box {
        var box = Box(cells: cells, pixels: cells.reduce(0) { $0 + histogram[$1] }, axis: 0, length: 0)
        for axis in 0..<3 {
            let values = cells.map { channel($0, axis) }
            let length = (values.max() ?? 0) - (values.min() ?? 0)
            if length > box.length { (box.axis, box.length) = (axis, length) }
        }
        return box
    }

    private static func halves(of box: Box, _ histogram: [Int]) -> ([Int], [Int]) {
        let sorted = box.cells.sorted {
            let (a, b) = (channel($0, box.axis), channel($1, box.axis))
            return a == b ? $0 < $1 : a < b
        }
        var sum = 0
        var cut = 0
        while cut < sorted.count - 1, sum + histogram[sorted[cut]] <= box.pixels / 2 || cut == 0 {
            sum += histogram[sorted[cut]]
            cut += 1
        }
        return (Array(sorted[..<cut]), Array(sorted[cut...]))
    }

    private static func mean(_ box: Box, _ histogram: [Int]) -> (UInt8, UInt8, UInt8) {
        func mean(_ axis: Int) -> UInt8 {
            let sum = box.cells.reduce(0) { $0 + histogram[$1] * (channel($1, axis) * 255 / 31) }
            return UInt8(sum / max(1, box.pixels))
        }
        return (mean(0), mean(1), mean(2))
    }
}
