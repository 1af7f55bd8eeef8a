/// Where people are: a soft mask that keeps effects behind them.
///
/// The mask covers the whole *upright* picture at a resolution of its own.
package struct TileMask: Sendable {
    package let width: Int
    package let height: Int
    /// `width · height` values, 0 (room) … 255 (person), rows from top to bottom.
    package let samples: [UInt8]

    /// - Precondition: `samples.count == width * height`, neither of them 0.
    package init(width: Int, height: Int, samples: [UInt8]) {
        precondition(width > 0 && height > 0 && samples.count == width * height)
        self.width = width
        self.height = height
        self.samples = samples
    }

    /// The room's share (65535 − mask) at the stored pixels of a row, filtered bilinearly.
    func fillRoom(_ row: inout [UInt16], y: Int, columns: Range<Int>, geometry: DisplayGeometry) {
        let toMask = geometry.uprightToStored.inverse.then(
            .scale(x: Double(width) / geometry.uprightWidth, y: Double(height) / geometry.uprightHeight))
        var p = toMask.apply(x: Double(columns.lowerBound) + 0.5, y: Double(y) + 0.5)
        for x in columns {
            let mx = min(max(p.x - 0.5, 0), Double(width - 1))
            let my = min(max(p.y - 0.5, 0), Double(height - 1))
            let (ix, iy) = (Int(mx), Int(my))
            let fx = Int((mx - Double(ix)) * 256)
            let fy = Int((my - Double(iy)) * 256)
            let right = min(ix + 1, width - 1)
            let below = min(iy + 1, height - 1)
            let upper = Int(samples[iy * width + ix]) * (256 - fx) + Int(samples[iy * width + right]) * fx
            let lower = Int(samples[below * width + ix]) * (256 - fx)
                + Int(samples[below * width + right]) * fx
            let person = (upper * (256 - fy) + lower * fy) / 255
            row[x] = UInt16(65535 - min(person, 65535))
            p.x += toMask.a
            p.y += toMask.b
        }
    }
}

extension TileCanvas {
    /// Takes away what people hide: multiplies what the band holds so far by the room's share.
    func hide(behind mask: TileMask, top: Int, geometry: DisplayGeometry) {
        var room = [UInt16](repeating: 0, count: stride)
        for run in touchedRuns() {
            let columns = run.clamped(to: 0..<width)
            for y in top..<min(top + Self.tileHeight, height) {
                mask.fillRoom(&room, y: y, columns: columns, geometry: geometry)
                for x in columns {
                    let i = (y - top) * stride + x
                    let share = UInt32(room[x]) + 1
                    red[i] = UInt16((UInt32(red[i]) * share) >> 16)
                    green[i] = UInt16((UInt32(green[i]) * share) >> 16)
                    blue[i] = UInt16((UInt32(blue[i]) * share) >> 16)
                    alpha[i] = UInt16((UInt32(alpha[i]) * share) >> 16)
                }
            }
        }
    }
}
