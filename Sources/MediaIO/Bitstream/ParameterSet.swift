import Platform

/// A parameter set of an H.264 or HEVC stream: one unit with its header, as in the file.
struct ParameterSet: Sendable, Hashable {
    enum Kind: Sendable, Hashable, Comparable {
        /// HEVC only.
        case video
        case sequence, picture
    }

    var kind: Kind
    /// The id with which other units refer to the set.
    var id: Int
    /// The unit, without start code or length.
    var unit: [UInt8]

    /// - Returns: nil if the unit is not a valid parameter set.
    init?(_ unit: ArraySlice<UInt8>, codec: NALCodec) {
        guard let header = unit.first,
            case .parameterSet(let kind) = NALUnit.kind(ofHeader: header, codec: codec)
        else { return nil }
        self.kind = kind
        // Zeros at the end belong to the next start code, since no unit ends with a zero.
        self.unit = Array(unit[..<(unit.lastIndex { $0 != 0 }.map { $0 + 1 } ?? unit.endIndex)])
        // Only the fields up to the id are needed, so long sets need not be unescaped entirely.
        let content = NALUnit.unescaped(unit.dropFirst(NALUnit.headerSize(codec: codec)).prefix(128))
        var reader = BitReader(content)
        switch (kind, codec) {
        case (.video, _): id = Int(reader.bits(4))
        case (.sequence, .hevc):
            _ = reader.bits(4)
            let subLayers = Int(reader.bits(3))
            _ = reader.bit()
            Self.skipProfileTierLevel(&reader, subLayers: subLayers)
            id = Int(reader.unsigned())
        case (.sequence, .h264):
            _ = reader.bits(24)
            id = Int(reader.unsigned())
        case (.picture, _): id = Int(reader.unsigned())
        }
        guard id < 256 else { return nil }
    }

    /// Skips `profile_tier_level()` (H.265, 7.3.3).
    private static func skipProfileTierLevel(_ reader: inout BitReader, subLayers: Int) {
        for _ in 0..<3 { _ = reader.bits(32) }
        guard subLayers > 0 else { return }
        var present: [(profile: Bool, level: Bool)] = []
        for _ in 0..<subLayers { present.append((reader.bit(), reader.bit())) }
        for _ in subLayers..<8 { _ = reader.bits(2) }
        for layer in present {
            if layer.profile { for _ in 0..<11 { _ = reader.bits(8) } }
            if layer.level { _ = reader.bits(8) }
        }
    }
}

/// The parameter sets that a stream uses, and the packets from which on they apply.
///
/// A stream may repeat a set with other content under the same id, for example when its picture size changes.
package struct ParameterSets: Sendable, Hashable {
    private struct Name: Hashable {
        var kind: ParameterSet.Kind
        var id: Int
    }

    /// The number of the packet for sets in the stream's header, which precede all packets.
    static let header = -1

    private var units: [Name: VersionedValue<ParameterSet>] = [:]
    /// The id of the sequence parameter set that each entry uses.
    private var active = VersionedValue<Int>()

    /// True if the meaning of a reference to a set depends on its place in the stream.
    var haveChanged: Bool { sequenceCount > 1 || units.values.contains(where: \.hasChanged) }

    /// Adds a set that applies from a packet on.
    mutating func add(_ set: ParameterSet, at packet: Int) {
        units[Name(kind: set.kind, id: set.id), default: VersionedValue()].append(set, from: packet)
    }

    /// Records an entry of H.264, given by the beginning of its first slice.
    mutating func addEntry(_ slice: [UInt8], at packet: Int) {
        var reader = BitReader(NALUnit.unescaped(slice.dropFirst().prefix(16)))
        reader.skipCodes(2)
        guard let picture = set(.picture, Int(reader.unsigned()), at: packet) else { return }
        active.append(AVCPictureParameters(picture.unit).sequence, from: packet)
    }

    private func set(_ kind: ParameterSet.Kind, _ id: Int, at packet: Int) -> ParameterSet? {
        units[Name(kind: kind, id: id)]?.value(at: packet)
    }

    /// Returns the sets that apply at a packet, in the order in which a stream sends them.
    func all(at packet: Int) -> [ParameterSet] {
        units.values.compactMap { $0.value(at: packet) }.sorted { ($0.kind, $0.id) < ($1.kind, $1.id) }
    }

    /// Returns the sequence parameter set that a picture of H.264 uses.
    func sequence(at packet: Int) -> [UInt8]? {
        if let id = active.value(at: packet), let set = set(.sequence, id, at: packet) { return set.unit }
        return all(at: packet).first { $0.kind == .sequence }?.unit
    }

    /// Returns the first packets of the ranges in which H.264 pictures use the same sequence parameter set, as far as
    /// they begin within some packets.
    func sequenceChanges(in packets: Range<Int>) -> [Int] {
        let versions = units.filter { $0.key.kind == .sequence }.values.flatMap(\.changes)
        return Set(versions + active.changes).filter(packets.contains).sorted()
    }

    /// Returns whether an id is free: no sequence or picture parameter set has it.
    func isFree(_ id: Int) -> Bool {
        !units.keys.contains { $0.id == id && $0.kind != .video }
    }

    /// The number of sequence parameter sets.
    var sequenceCount: Int { units.keys.count { $0.kind == .sequence } }
}

/// A value that applies from a packet of a stream on, until the next one.
struct VersionedValue<Value: Sendable & Hashable>: Sendable, Hashable {
    private struct Version: Hashable {
        var packet: Int
        var value: Value
    }

    private var versions: [Version] = []

    /// Adds a value that applies from a packet on. Packets must be added in their order.
    mutating func append(_ value: Value, from packet: Int) {
        if versions.last?.value == value { return }
        if versions.last?.packet == packet { versions.removeLast() }
        versions.append(Version(packet: packet, value: value))
    }

    /// Returns the value that applies at a packet; nil before the first one.
    func value(at packet: Int) -> Value? {
        let next = versions.sortedIndex { $0.packet > packet }
        return next > 0 ? versions[next - 1].value : nil
    }

    /// True if the value does not apply to the whole stream.
    var hasChanged: Bool { versions.count > 1 || versions.first.map { $0.packet > 0 } ?? false }

    /// The packets from which on another value applies.
    var changes: [Int] { versions.map(\.packet) }
}

/// Assigns other ids to the parameter sets of an HEVC stream.
///
/// libx265, like most encoders, numbers all its sets 0. So its output cannot be inserted next to the source's pictures
/// unchanged. Each slice refers to its picture parameter set by an Exp-Golomb code, which has 1 bit for 0, and 9 bits
/// for 15…30. With an id in that range, all later bits move by exactly one byte, and need not be parsed. (ITU-T H.265,
/// 7.3.2.1–7.3.2.3 and 7.3.6.1.)
enum HEVCSetIDs {
    /// The new id of the video and sequence parameter sets.
    static let sequence = 15
    /// The possible new ids of the picture parameter set.
    static let pictures = 15...30

    /// Returns a unit of libx265's stream with the new ids; units without ids are returned unchanged.
    ///
    /// - Parameter picture: One of ``pictures``.
    static func renumbered(_ unit: [UInt8], picture: Int) -> [UInt8] {
        guard unit.count > 2 else { return unit }
        let kind = NALUnit.kind(ofHeader: unit[0], codec: .hevc)
        let type = unit[0] >> 1 & 0x3F
        var content = BitString(NALUnit.unescaped(unit[2...]))
        switch kind {
        case .parameterSet(.video): content.replace(at: 0, count: 4, by: UInt32(sequence), width: 4)
        case .parameterSet(.sequence):
            content.replace(at: 0, count: 4, by: UInt32(sequence), width: 4)
            var reader = BitReader(content.bytes)
            _ = reader.bits(4)
            let subLayers = reader.bits(3)
            // Without sub-layers, the profile and the level take 96 bits.
            guard subLayers == 0 else { return unit }
            content.renumber(at: 8 + 96, to: sequence)
        case .parameterSet(.picture):
            content.renumber(at: 0, to: picture)
            content.renumber(at: 9, to: sequence)
        case .entry, .openEntry, .skippedLeading, .slice:
            // Slices of pictures at which decoding can begin have a flag before the id
            // (`no_output_of_prior_pics_flag`).
            content.renumber(at: (16...23).contains(type) ? 2 : 1, to: picture)
        case .sei, .other: return unit
        }
        return Array(unit[..<2]) + NALUnit.escaped(content.bytes)
    }
}

/// A string of bits, parts of which can be replaced.
private struct BitString {
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Replaces the Exp-Golomb code of 0 with the code of a number in 15…30, which is one byte longer.
    mutating func renumber(at place: Int, to id: Int) {
        precondition(HEVCSetIDs.pictures.contains(id))
        replace(at: place, count: 1, by: UInt32(id + 1), width: 9)
    }

    /// Replaces bits with the same number of bits, or with eight more.
    mutating func replace(at place: Int, count: Int, by value: UInt32, width: Int) {
        if width > count {
            // The following bits move by one byte: the byte at this place is duplicated, and the copy is overwritten
            // below.
            precondition(width == count + 8)
            bytes.insert(place / 8 < bytes.count ? bytes[place / 8] : 0, at: place / 8)
        }
        for bit in 0..<width {
            let (index, shift) = ((place + bit) / 8, UInt8(7 - (place + bit) % 8))
            guard index < bytes.count else { return }
            let isSet = value >> UInt32(width - 1 - bit) & 1 == 1
            bytes[index] = bytes[index] & ~(1 << shift) | (isSet ? 1 << shift : 0)
        }
    }
}
