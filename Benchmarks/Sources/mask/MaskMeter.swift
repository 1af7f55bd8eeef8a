import Raster

/// Compares the masks of a film with the truth.
struct MaskMeter {
    private let width, height: Int
    private var last: (mask: [Float], truth: [Float])?
    private var frames = 0
    private var difference = 0.0, gradient = 0.0
    private var change = 0.0, changes = 0

    /// The distance from an edge within which flicker counts, and the change of the truth up to which it rests.
    private static let reach = 12, rest: Float = 0.02

    init(_ format: PictureFormat) { (width, height) = (format.width, format.height) }

    var score: MaskScore {
        MaskScore(
            difference: 1000 * difference / Double(frames), gradient: gradient / Double(frames) / 1000,
            flicker: 1000 * change / Double(max(changes, 1)))
    }

    /// Adds a frame.
    /// - Parameter counts: Whether it is measured; otherwise only the next frame's flicker refers to it.
    mutating func add(_ mask: [Float], truth: [Float], counts: Bool) {
        defer { last = (mask, truth) }
        guard counts else { return }
        frames += 1
        var sum: Float = 0
        for index in mask.indices { sum += abs(mask[index] - truth[index]) }
        difference += Double(sum) / Double(mask.count)
        let own = gradients(of: mask), wanted = gradients(of: truth)
        gradient += zip(own, wanted).reduce(0.0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
        guard let last else { return }
        let moved = spread(zip(truth, last.truth).map { abs($0 - $1) > Self.rest }, by: 4)
        let near = spread(truth.map { $0 > 0.02 && $0 < 0.98 }, by: Self.reach)
        for index in mask.indices where near[index] && !moved[index] {
            change += Double(abs(mask[index] - last.mask[index]))
            changes += 1
        }
    }

    /// Returns the magnitudes of the gradients of a Gaussian with a deviation of 1.4.
    private func gradients(of values: [Float]) -> [Float] {
        let smooth: [Float] = (-4...4).map { kernel($0) }
        let total = smooth.reduce(0, +)
        let soft = smooth.map { $0 / total }
        let slope: [Float] = (-4...4).map { Float($0) * kernel($0) / total / 1.96 }
        let across = filtered(filtered(values, slope, step: 1), soft, step: width)
        let down = filtered(filtered(values, soft, step: 1), slope, step: width)
        return zip(across, down).map { ($0 * $0 + $1 * $1).squareRoot() }
    }

    private func kernel(_ distance: Int) -> Float {
        // e^(−d² / 3.92) at the distances 0 to 4.
        [1, 0.7748, 0.3604, 0.1007, 0.0169][abs(distance)]
    }

    /// Filters along the rows (a step of 1) or the columns (a step of the width).
    private func filtered(_ values: [Float], _ weights: [Float], step: Int) -> [Float] {
        var result = [Float](repeating: 0, count: values.count)
        let source = values.span
        for row in 0..<height {
            for column in 0..<width {
                let (place, length) = step == 1 ? (column, width) : (row, height)
                var sum: Float = 0
                for offset in -4...4 {
                    let other = max(0, min(length - 1, place + offset))
                    sum += source[row * width + column + (other - place) * step] * weights[offset + 4]
                }
                result[row * width + column] = sum
            }
        }
        return result
    }

    /// Returns whether any place within a square is true.
    private func spread(_ values: [Bool], by reach: Int) -> [Bool] {
        var rows = values
        for row in 0..<height {
            for column in 0..<width where values[row * width + column] {
                for other in max(0, column - reach)...min(width - 1, column + reach) {
                    rows[row * width + other] = true
                }
            }
        }
        var result = rows
        for row in 0..<height {
            for column in 0..<width where rows[row * width + column] {
                for other in max(0, row - reach)...min(height - 1, row + reach) {
                    result[other * width + column] = true
                }
            }
        }
        return result
    }

    /// Enlarges a mask bilinearly to a picture's size.
    static func enlarged(_ values: [Float], _ width: Int, _ height: Int, _ format: PictureFormat) -> [Float] {
        var result = [Float](repeating: 0, count: format.width * format.height)
        for row in 0..<format.height {
            let y = max(0, min(Float(height - 1), (Float(row) + 0.5) * Float(height) / Float(format.height) - 0.5))
            let (top, down) = (Int(y), y - y.rounded(.down))
            let below = min(top + 1, height - 1)
            for column in 0..<format.width {
                let x = max(0, min(Float(width - 1), (Float(column) + 0.5) * Float(width) / Float(format.width) - 0.5))
                let (left, across) = (Int(x), x - x.rounded(.down))
                let right = min(left + 1, width - 1)
                let upper = values[top * width + left] * (1 - across) + values[top * width + right] * across
                let lower = values[below * width + left] * (1 - across) + values[below * width + right] * across
                result[row * format.width + column] = upper * (1 - down) + lower * down
            }
        }
        return result
    }
}
