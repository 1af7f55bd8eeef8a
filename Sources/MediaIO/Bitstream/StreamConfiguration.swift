/// The parameter sets in a stream's header ("extradata"): `avcC`, `hvcC` (ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1), or
/// units with start codes.
struct StreamConfiguration: Sendable {
    let isHEVC: Bool
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8], isHEVC: Bool) {
        self.bytes = bytes
        self.isHEVC = isHEVC
    }

    private var isRecord: Bool { bytes.first == 1 }

    /// The parameter sets, in the order of the header.
    var sets: [ParameterSet] { places.compactMap { ParameterSet(bytes[$0], isHEVC: isHEVC) } }

    /// The ranges of the units.
    private var places: [Range<Int>] {
        var found: [Range<Int>] = []
        guard isRecord else {
            NALFraming.startCodes.forEachUnit(in: bytes.span) { found.append($0) }
            return found
        }
        var place = 0
        if isHEVC {
            place = 22
            for _ in 0..<read(1, &place) {
                place += 1
                for _ in 0..<read(2, &place) { appendUnit(&found, &place) }
            }
        } else {
            place = 5
            for _ in 0..<read(1, &place) & 0x1F { appendUnit(&found, &place) }
            for _ in 0..<read(1, &place) { appendUnit(&found, &place) }
        }
        return found
    }

    /// True if sets can be added: all announced sets are present, and there is space for ``spare`` more.
    var acceptsSets: Bool {
        guard isRecord else { return true }
        guard bytes.count >= (isHEVC ? 23 : 7) else { return false }
        var (place, isWhole) = (isHEVC ? 22 : 5, true)
        func number(_ size: Int) -> Int {
            if place + size > bytes.count { isWhole = false }
            return read(size, &place)
        }
        func skipSets(_ count: Int) {
            for _ in 0..<count where isWhole {
                let length = number(2)
                if length == 0 || length > bytes.count - place { isWhole = false }
                place += length
            }
        }
        if isHEVC {
            let arrays = number(1)
            for _ in 0..<arrays where isWhole {
                place += 1
                skipSets(number(2))
            }
            return isWhole && arrays <= 255 - Self.spare
        }
        let sequences = number(1) & 0x1F
        skipSets(sequences)
        let pictures = number(1)
        skipSets(pictures)
        return isWhole && sequences <= 31 - Self.spare && pictures <= 255 - Self.spare
    }

    /// The maximum number of sets of one kind that a caller adds.
    private static let spare = 4

    private func read(_ count: Int, _ place: inout Int) -> Int {
        guard place + count <= bytes.count else {
            place = bytes.count
            return 0
        }
        defer { place += count }
        return bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private func appendUnit(_ found: inout [Range<Int>], _ place: inout Int) {
        let length = read(2, &place)
        guard length > 0, place + length <= bytes.count else { return }
        found.append(place..<place + length)
        place += length
    }

    /// Appends sets to the present ones.
    ///
    /// - Precondition: The ids are not in use, and ``acceptsSets`` is true.
    mutating func add(_ sets: [ParameterSet]) {
        guard isRecord else {
            bytes += NALFraming.startCodes.joined(sets.map(\.unit))
            return
        }
        isHEVC ? addToHEVC(sets) : addToAVC(sets)
    }

    private mutating func addToAVC(_ sets: [ParameterSet]) {
        var place = 5
        var rest: [Range<Int>] = []
        let sequences = read(1, &place) & 0x1F
        for _ in 0..<sequences { appendUnit(&rest, &place) }
        let pictureCount = place
        let pictures = read(1, &place)
        for _ in 0..<pictures { appendUnit(&rest, &place) }
        let (newSequences, newPictures) = (sets.filter { $0.kind == .sequence }, sets.filter { $0.kind == .picture })
        var record = Array(bytes[..<5])
        record.append(0xE0 | UInt8(sequences + newSequences.count))
        record += bytes[6..<pictureCount]
        for set in newSequences { record += Self.sized(set.unit) }
        record.append(UInt8(pictures + newPictures.count))
        record += bytes[(pictureCount + 1)..<place]
        for set in newPictures { record += Self.sized(set.unit) }
        // Formats and bit depths of the high profiles may follow.
        record += bytes[place...]
        bytes = record
    }

    /// Appends sets to an HEVC record, which has one array of units for each kind.
    private mutating func addToHEVC(_ sets: [ParameterSet]) {
        func type(_ set: ParameterSet) -> UInt8 { set.unit[0] >> 1 & 0x3F }
        var place = 22
        var arrays = read(1, &place)
        var record = Array(bytes[..<22])
        var body: [UInt8] = []
        var left = sets
        for _ in 0..<arrays where place < bytes.count {
            let header = bytes[place]
            place += 1
            let own = left.filter { type($0) == header & 0x3F }
            left.removeAll { type($0) == header & 0x3F }
            let count = read(2, &place)
            let start = place
            var skipped: [Range<Int>] = []
            for _ in 0..<count { appendUnit(&skipped, &place) }
            body +=
                [header] + Self.number(count + own.count) + bytes[start..<place] + own.flatMap { Self.sized($0.unit) }
        }
        for set in left {
            body += [0x80 | type(set)] + Self.number(1) + Self.sized(set.unit)
            arrays += 1
        }
        record.append(UInt8(arrays))
        bytes = record + body
    }

    /// Returns a number as two bytes.
    private static func number(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    private static func sized(_ unit: [UInt8]) -> [UInt8] { number(unit.count) + unit }
}
