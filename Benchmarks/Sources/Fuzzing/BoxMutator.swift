/// Mutates the boxes of MP4 and QuickTime files (ISO/IEC 14496-12, 4.2): their content, claimed sizes, number and
/// order. It mostly corrects the sizes of the enclosing boxes.
enum BoxMutator {
    private struct Box {
        var range: Range<Int>
        /// The offset of its content.
        var content: Int
        var parents: [Int]
    }

    private static let containers: Set<String> = [
        "moov", "trak", "edts", "mdia", "minf", "dinf", "stbl", "udta", "meta", "moof", "traf", "mvex", "ilst", "avc1",
        "hvc1", "hev1", "mp4a", "stsd", "wave",
    ]

    static func mutate(_ bytes: inout [UInt8], _ random: inout FuzzRandom) {
        var boxes: [Box] = []
        find(in: bytes, bytes.indices, parents: [], &boxes)
        guard !boxes.isEmpty else { return ByteMutator.mutate(&bytes, within: bytes.indices, &random) }
        let index = random.below(boxes.count)
        let box = boxes[index]
        let before = bytes.count
        switch random.below(8) {
        case 0: ByteMutator.put(random.pick(ByteMutator.extremes), in: &bytes, at: box.range.lowerBound, size: 4)
        case 1: bytes.removeSubrange(box.range)
        case 2: bytes.insert(contentsOf: Array(bytes[box.range]), at: box.range.upperBound)
        case 3:
            let other = random.pick(boxes)
            bytes.replaceSubrange(box.range, with: Array(bytes[other.range]))
        case 4:
            for offset in 4..<8 where box.range.lowerBound + offset < bytes.count {
                bytes[box.range.lowerBound + offset] = bytes[random.pick(boxes).range.lowerBound + offset]
            }
        case 5 where box.range.upperBound - box.content >= 4:
            // A field of four bytes, the most common size.
            let fields = (box.range.upperBound - box.content) / 4
            ByteMutator.put(
                random.pick(ByteMutator.extremes), in: &bytes, at: box.content + 4 * random.below(min(fields, 24)),
                size: 4)
        default: ByteMutator.mutate(&bytes, within: box.content..<box.range.upperBound, &random)
        }
        guard bytes.count != before, !random.once(in: 8) else { return }
        for parent in box.parents {
            let size = ByteMutator.number(in: bytes, at: parent, size: 4)
            ByteMutator.put(size &+ UInt64(bitPattern: Int64(bytes.count - before)), in: &bytes, at: parent, size: 4)
        }
    }

    private static func find(in bytes: [UInt8], _ range: Range<Int>, parents: [Int], _ boxes: inout [Box]) {
        var place = range.lowerBound
        while place + 8 <= range.upperBound, boxes.count < 2000 {
            let size = Int(ByteMutator.number(in: bytes, at: place, size: 4))
            guard size >= 8, place + size <= range.upperBound else { return }
            boxes.append(Box(range: place..<place + size, content: place + 8, parents: parents))
            let kind = String(decoding: bytes[place + 4..<place + 8], as: UTF8.self)
            if containers.contains(kind), parents.count < 10 {
                let skipped = ["meta": 4, "stsd": 8, "avc1": 78, "hvc1": 78, "hev1": 78, "mp4a": 28][kind] ?? 0
                let inner = place + 8 + skipped
                if inner < place + size { find(in: bytes, inner..<place + size, parents: parents + [place], &boxes) }
            }
            place += size
        }
    }
}
