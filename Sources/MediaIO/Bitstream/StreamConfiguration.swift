import Platform

/// The parameter sets in a stream's header ("extradata"): `avcC`, `hvcC` (ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1), or
/// units with start codes.
struct StreamConfiguration: Sendable {
    let codec: NALCodec
    private(set) var bytes: [UInt8]

    /// A list of units in a record.
    private struct UnitList {
        /// The first byte of an array of HEVC, which states the type of its units.
        var header: UInt8 = 0
        /// The units, each of which has its length before it.
        var units: [Range<Int>] = []
        /// The range of the units with their lengths.
        var content = 0..<0
    }

    /// The maximum number of sets of one kind that a caller adds.
    private static let spare = 4

    init(_ bytes: [UInt8], codec: NALCodec) {
        self.bytes = bytes
        self.codec = codec
    }

    private var isRecord: Bool { bytes.first == 1 }
    /// The size of a record before its lists.
    private var headSize: Int { codec == .hevc ? 22 : 5 }

    /// The parameter sets, in the order of the header.
    var sets: [ParameterSet] {
        var units: [Range<Int>] = []
        if isRecord {
            units = readLists().lists.flatMap(\.units)
        } else {
            NALFraming.startCodes.forEachUnit(in: bytes.span) { units.append($0) }
        }
        return units.compactMap { ParameterSet(bytes[$0], codec: codec) }
    }

    /// True if sets can be added: all announced sets are present, and there is space for ``spare`` more.
    var acceptsSets: Bool {
        guard isRecord else { return true }
        let (lists, isWhole) = readLists()
        guard isWhole else { return false }
        if codec == .hevc { return lists.count <= 255 - Self.spare }
        return lists[0].units.count <= 31 - Self.spare && lists[1].units.count <= 255 - Self.spare
    }

    /// Returns the lists of a record: the sequence and the picture parameter sets of AVC, or the arrays of HEVC. The
    /// record is whole if it contains all units that it announces; otherwise the last list may lack some.
    private func readLists() -> (lists: [UnitList], isWhole: Bool) {
        var lists: [UnitList] = []
        var place = headSize
        func number(_ size: Int) -> Int? {
            defer { place += size }
            return bytes.bigEndian(at: place, count: size)
        }
        guard let listCount = codec == .hevc ? number(1) : 2 else { return ([], false) }
        while lists.count < listCount {
            var list = UnitList()
            var count: Int?
            if codec == .hevc {
                list.header = number(1).map { UInt8($0) } ?? 0
                count = number(2)
            } else {
                count = number(1).map { lists.isEmpty ? $0 & 0x1F : $0 }
            }
            guard let count else { return (lists, false) }
            let start = place
            while list.units.count < count {
                guard let length = number(2), length > 0, length <= bytes.count - place else {
                    return (lists + [list], false)
                }
                list.units.append(place..<place + length)
                place += length
            }
            list.content = start..<place
            lists.append(list)
        }
        return (lists, true)
    }

    /// Appends sets to the present ones.
    ///
    /// - Precondition: The ids are not in use, and ``acceptsSets`` is true.
    mutating func add(_ sets: [ParameterSet]) {
        guard isRecord else {
            bytes += NALFraming.startCodes.joined(sets.map(\.unit))
            return
        }
        let lists = readLists().lists
        bytes = bytes[..<headSize] + (codec == .hevc ? joined(lists, adding: sets) : joinedAVC(lists, adding: sets))
    }

    private func joinedAVC(_ lists: [UnitList], adding sets: [ParameterSet]) -> [UInt8] {
        let newSequences = sets.filter { $0.kind == .sequence }, newPictures = sets.filter { $0.kind == .picture }
        var body = [0xE0 | UInt8(lists[0].units.count + newSequences.count)] + bytes[lists[0].content]
        for set in newSequences { body += Self.sized(set.unit) }
        body += [UInt8(lists[1].units.count + newPictures.count)] + bytes[lists[1].content]
        for set in newPictures { body += Self.sized(set.unit) }
        // Formats and bit depths of the high profiles may follow.
        return body + bytes[lists[1].content.upperBound...]
    }

    /// Returns the arrays of an HEVC record, which has one for each type of unit.
    private func joined(_ lists: [UnitList], adding sets: [ParameterSet]) -> [UInt8] {
        func type(_ set: ParameterSet) -> UInt8 { set.unit[0] >> 1 & 0x3F }
        var body: [UInt8] = []
        var left = sets
        for list in lists {
            let own = left.filter { type($0) == list.header & 0x3F }
            left.removeAll { type($0) == list.header & 0x3F }
            body += [list.header] + Self.number(list.units.count + own.count) + bytes[list.content]
            body += own.flatMap { Self.sized($0.unit) }
        }
        for set in left { body += [0x80 | type(set)] + Self.number(1) + Self.sized(set.unit) }
        return [UInt8(lists.count + left.count)] + body
    }

    /// Returns a number as two bytes.
    private static func number(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    private static func sized(_ unit: [UInt8]) -> [UInt8] { number(unit.count) + unit }
}
