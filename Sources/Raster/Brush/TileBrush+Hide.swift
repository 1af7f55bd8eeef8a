extension TileBrush {
    /// Takes away the light that people hide: multiplies what the band holds so far by the room's
    /// share; and lays light from behind along people's edges.
    func hideLight(behind mask: TileMask, lit rim: TileRim?, in band: TileBand) {
        if light.touched.isEmpty { return }
        defer { if let rim { lighten(rim, of: mask, in: band) } }
        for y in 0..<band.rows.count {
            people.forEachStretch(inRow: y, of: light.touched.bounds(inRow: y).clamped(to: 0..<width)) { kind, pixels in
                switch kind {
                case .room: return
                case .person, .rim: light.clear(y, pixels, stride: stride)
                case .edge: light.hide(behind: people, y, pixels, stride: stride)
                }
            }
        }
    }

    /// The same for matter.
    func hideMatter(in band: TileBand) {
        if touched.isEmpty { return }
        for y in 0..<band.rows.count {
            people.forEachStretch(inRow: y, of: touched.bounds(inRow: y).clamped(to: 0..<width)) { kind, pixels in
                let start = y * stride + pixels.lowerBound
                switch kind {
                case .room: return
                case .person, .rim: clear(from: start, pixels.count)
                case .edge:
                    let room = unsafe people.room(inRow: y, pixels).span
                    TileRows.scale(red, start, by: room)
                    TileRows.scale(green, start, by: room)
                    TileRows.scale(blue, start, by: room)
                    TileRows.scale(alpha, start, by: room)
                }
            }
        }
    }

    /// Clears samples of the band's matter.
    func clear(from start: Int, _ count: Int) {
        red.clear(from: start, count)
        green.clear(from: start, count)
        blue.clear(from: start, count)
        alpha.clear(from: start, count)
    }

    /// Marks the pixels of a band in which light falls on people's outlines.
    mutating func touchRim(_ rim: TileRim, in band: TileBand) {
        for y in 0..<band.rows.count {
            band.people.forEachStretch(inRow: y, of: 0..<width) { kind, pixels in
                if kind == .edge || kind == .rim, rim.reaches(row: band.top + y, pixels) {
                    light.touched.mark(pixels, inRow: y)
                }
            }
        }
    }

    /// Adds the light on people's outlines.
    private func lighten(_ rim: TileRim, of mask: TileMask, in band: TileBand) {
        var share = unsafe light.share.mutableBuffer(from: 0, width).mutableSpan
        for y in Swift.stride(from: 0, to: band.rows.count, by: mask.sharedRows) {
            people.forEachStretch(inRow: y, of: 0..<width) { kind, pixels in
                guard kind == .edge || kind == .rim, rim.reaches(row: band.top + y, pixels) else { return }
                mask.fillRim(&share, y: band.top + y, pixels: pixels)
                // Light is nearly even over so few pixels.
                for first in Swift.stride(from: pixels.lowerBound, to: pixels.upperBound, by: 32) {
                    let part = first..<min(first + 32, pixels.upperBound)
                    let colour = rim.colour(x: first + part.count / 2, y: band.top + y)
                    for row in y..<min(y + mask.sharedRows, band.rows.count) {
                        light.add(colour, row, part, stride: stride)
                    }
                }
            }
        }
    }
}
