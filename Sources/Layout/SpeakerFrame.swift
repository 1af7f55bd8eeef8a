/// Finds the frame that marks the active speaker: a thin line of a vivid colour around a tile.
///
/// A frame drawn over a thin gutter interrupts the gutter, so that the frame's colour has to count as the gutter's.
struct SpeakerFrame {
    /// The frame's colour; `nil` if there is none.
    private(set) var colour: FlatColour?

    /// The maximum width of frames in chroma samples.
    private static let maximumWidth = 5
    /// The minimum distance from grey: frames are yellow, green, blue or violet.
    private static let minimumSaturation: UInt8 = 22
    /// The minimum difference of chroma between a frame and both sides of it.
    private static let minimumContrast = 14
    /// The minimum number of rows that meet the frame at the same position.
    private static let minimumCount: Int32 = 6
    /// The distance of the rows that are searched.
    private static let rowStep = 2

    init(_ samples: SparseSamples) {
        let rows = samples.rows
        let count = rows.cb.length
        guard count > 4 * Self.maximumWidth else { return }
        var counts = [Int32](repeating: 0, count: count)
        var sums = [SIMD4<Int32>](repeating: .zero, count: count)
        for line in stride(from: 1, to: rows.positions.count, by: Self.rowStep) {
            let cb = rows.cb.values.span.extracting(line * count..<(line + 1) * count)
            let cr = rows.cr.values.span.extracting(line * count..<(line + 1) * count)
            func isVivid(_ index: Int) -> Bool {
                max(cb[index].saturation, cr[index].saturation) >= Self.minimumSaturation
            }
            func contrast(_ a: Int, _ b: Int) -> Int {
                max(abs(Int(cb[a]) - Int(cb[b])), abs(Int(cr[a]) - Int(cr[b])))
            }
            var index = 2
            while index < count - Self.maximumWidth - 2 {
                guard isVivid(index), contrast(index, index - 2) >= Self.minimumContrast else {
                    index += 1
                    continue
                }
                // The most vivid sample belongs to the line; the samples beside it are blurred.
                var end = index + 1
                while end < index + Self.maximumWidth, contrast(end, index - 2) >= Self.minimumContrast, isVivid(end) {
                    end += 1
                }
                let middle = (index + end) / 2
                if end < index + Self.maximumWidth, contrast(middle, end + 1) >= Self.minimumContrast {
                    let colour = samples.colour(row: line, column: middle << rows.chromaShift)
                    counts[middle] += 1
                    sums[middle] &+= SIMD4(Int32(colour.luma), Int32(colour.cb), Int32(colour.cr), 0)
                }
                index = end
            }
        }
        guard let best = counts.indices.max(by: { counts[$0] < counts[$1] }), counts[best] >= Self.minimumCount else {
            return
        }
        let total = counts[best], sum = sums[best]
        colour = FlatColour(luma: UInt8(sum[0] / total), cb: UInt8(sum[1] / total), cr: UInt8(sum[2] / total))
    }
}

extension UInt8 {
    /// The distance of a chroma sample from grey.
    fileprivate var saturation: UInt8 { self >= 128 ? self - 128 : 128 - self }
}
