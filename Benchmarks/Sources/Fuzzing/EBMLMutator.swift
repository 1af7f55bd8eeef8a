/// Mutates the elements of Matroska and WebM files (RFC 8794): their content, sizes, number and order.
enum EBMLMutator {
    private struct Element {
        var range: Range<Int>
        var content: Int
        /// The bytes of its size field.
        var size: Range<Int>
    }

    /// Master elements: Segment, SeekHead, Seek, Info, Cluster, BlockGroup, Tracks, TrackEntry, Video, Audio, Colour,
    /// Cues, CuePoint, CueTrackPositions, Chapters, EditionEntry, ChapterAtom, ChapterDisplay, Tags, Tag, SimpleTag.
    private static let masters: Set<UInt64> = [
        0x1853_8067, 0x114D_9B74, 0x4DBB, 0x1549_A966, 0x1F43_B675, 0xA0, 0x1654_AE6B, 0xAE, 0xE0, 0xE1, 0x55B0,
        0x1C53_BB6B, 0xBB, 0xB7, 0x1043_A770, 0x45B9, 0xB6, 0x80, 0x1254_C367, 0x7373, 0x67C8, 0x1A45_DFA3,
    ]

    static func mutate(_ bytes: inout [UInt8], _ random: inout FuzzRandom) {
        var elements: [Element] = []
        find(in: bytes, bytes.indices, depth: 0, &elements)
        guard !elements.isEmpty else { return ByteMutator.mutate(&bytes, within: bytes.indices, &random) }
        let element = random.pick(elements)
        switch random.below(8) {
        case 0: ByteMutator.mutate(&bytes, within: element.size, &random)
        case 1: bytes.removeSubrange(element.range)
        case 2: bytes.insert(contentsOf: Array(bytes[element.range]), at: element.range.upperBound)
        case 3: bytes.replaceSubrange(element.range, with: Array(bytes[random.pick(elements).range]))
        case 4 where element.range.upperBound - element.content <= 8:
            ByteMutator.put(
                random.pick(ByteMutator.extremes), in: &bytes, at: element.content,
                size: element.range.upperBound - element.content)
        default: ByteMutator.mutate(&bytes, within: element.content..<element.range.upperBound, &random)
        }
    }

    private static func find(in bytes: [UInt8], _ range: Range<Int>, depth: Int, _ elements: inout [Element]) {
        var place = range.lowerBound
        while place < range.upperBound, elements.count < 2000 {
            let start = place
            guard let id = number(in: bytes, &place, range, keepsMarker: true) else { return }
            let sizeStart = place
            guard let size = number(in: bytes, &place, range, keepsMarker: false) else { return }
            // A size of all ones is unknown: the element extends to the end.
            let end = size < UInt64(range.upperBound - place) ? place + Int(size) : range.upperBound
            elements.append(Element(range: start..<end, content: place, size: sizeStart..<place))
            if masters.contains(id), depth < 8 { find(in: bytes, place..<end, depth: depth + 1, &elements) }
            place = end
        }
    }

    private static func number(
        in bytes: [UInt8], _ place: inout Int, _ range: Range<Int>, keepsMarker: Bool
    ) -> UInt64? {
        guard place < range.upperBound, bytes[place] != 0 else { return nil }
        let length = bytes[place].leadingZeroBitCount + 1
        guard place + length <= range.upperBound else { return nil }
        defer { place += length }
        let value = ByteMutator.number(in: bytes, at: place, size: length)
        return keepsMarker ? value : value & (1 << UInt64(7 * length) - 1)
    }
}
