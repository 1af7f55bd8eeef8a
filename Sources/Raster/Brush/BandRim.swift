/// The light that an effect behind people casts on their outlines. A ``BandDrawing`` makes one for each picture with a
/// mask.
///
/// Light from behind a person reflects off hair and shoulders. The commands behind people are summed into a coarse map
/// of coloured light, blurred, and applied along the inner edge of the mask (``BandMask/fillRim(_:y:pixels:)``). Only
/// wide glows count, because single sparks are too small.
struct BandRim: Sendable {
    /// The picture's height in cells of the map.
    private static let cellsDown = 24
    /// The factor from the light behind to the light on the outline, and the maximum of the latter; 1 is white.
    private static let gain: Float = 9, greatest: Float = 0.5
    /// The mean brightness of a soft shape over its outline.
    private static let softness: Float = 0.3
    /// The minimum light that is drawn, as a share of white.
    private static let minimum: Float = 0.015

    private let cell: Int
    private let columns, rows: Int
    /// The red, green and blue of each cell; 1 is white.
    private var light: [SIMD4<Float>]

    /// Sums the light of commands.
    /// - Returns: `nil` if the light is negligible.
    init?(_ commands: ArraySlice<BandCommand>, width: Int, height: Int) {
        cell = max(height / Self.cellsDown, 8)
        columns = (width + cell - 1) / cell
        rows = (height + cell - 1) / cell
        light = [SIMD4<Float>](repeating: .zero, count: columns * rows)
        for command in commands { add(command) }
        guard light.contains(where: { $0.max() * Self.gain > Self.minimum }) else { return nil }
        blur()
        blur()
        for index in light.indices {
            // Compresses the brightness towards the maximum without changing the hue.
            let scaled = light[index] * Self.gain
            light[index] = scaled * (Self.greatest / (1 + scaled.max()))
        }
    }

    private mutating func add(_ command: BandCommand) {
        let outline = command.outline
        // Smaller shapes do not light an outline.
        guard outline.rows.count >= cell / 2 else { return }
        guard case .shape(_, let colour) = command.paint, colour.alpha == 0 else { return }
        let one = Float(BandGrid.one)
        let shade =
            SIMD4(Float(colour.red) / one, Float(colour.green) / one, Float(colour.blue) / one, 0)
            * Self.softness
        for row in outline.rows.lowerBound / cell...min((outline.rows.upperBound - 1) / cell, rows - 1) {
            let covered = outline.rows.clamped(to: row * cell..<(row + 1) * cell)
            guard !covered.isEmpty else { continue }
            let pixels = outline.columns(inRow: covered.lowerBound + covered.count / 2)
                .clamped(to: 0..<columns * cell)
            guard !pixels.isEmpty else { continue }
            let share = Float(covered.count) / Float(cell * cell)
            for column in pixels.lowerBound / cell...(pixels.upperBound - 1) / cell {
                let part = pixels.clamped(to: column * cell..<(column + 1) * cell).count
                light[row * columns + column] += shade * (share * Float(part))
            }
        }
    }

    /// Averages three by three cells.
    private mutating func blur() {
        let from = light
        for row in 0..<rows {
            for column in 0..<columns {
                var sum = SIMD4<Float>.zero
                for y in [max(row - 1, 0), row, min(row + 1, rows - 1)] {
                    sum +=
                        from[y * columns + max(column - 1, 0)] + from[y * columns + column]
                        + from[y * columns + min(column + 1, columns - 1)]
                }
                light[row * columns + column] = sum / 9
            }
        }
    }

    /// Returns whether visible light falls on some of these pixels.
    func reaches(row y: Int, _ pixels: Range<Int>) -> Bool {
        let row = min(y / cell, rows - 1)
        for column in pixels.lowerBound / cell...min((pixels.upperBound - 1) / cell, columns - 1)
        where light[row * columns + column].max() > Self.minimum { return true }
        return false
    }

    /// Returns the light at a pixel, interpolated between the cells, in units of the canvas.
    func colour(x: Int, y: Int) -> SIMD4<Float> {
        let place = (
            x: max(Float(x) / Float(cell) - 0.5, 0), y: max(Float(y) / Float(cell) - 0.5, 0)
        )
        let column = min(Int(place.x), columns - 1), row = min(Int(place.y), rows - 1)
        let right = min(column + 1, columns - 1), below = min(row + 1, rows - 1) * columns
        let along = place.x - Float(column), down = place.y - Float(row)
        let upper = light[row * columns + column] * (1 - along) + light[row * columns + right] * along
        let lower = light[below + column] * (1 - along) + light[below + right] * along
        return (upper * (1 - down) + lower * down) * Float(BandGrid.one)
    }
}
