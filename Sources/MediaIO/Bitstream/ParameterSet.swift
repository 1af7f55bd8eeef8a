/// A parameter set of an H.264 or HEVC stream: one unit, with header, as it stands in the file.
struct ParameterSet: Sendable, Hashable {
    enum Kind: Sendable, Hashable, Comparable {
        /// HEVC only.
        case video
        case sequence, picture
    }

    var kind: Kind
    /// By which others refer to it.
    var id: Int
    /// Without start code or length.
    var unit: [UInt8]

    /// - Returns: nil where it makes no sense.
    init?(_ unit: ArraySlice<UInt8>, isHEVC: Bool) {
        guard let header = unit.first,
            case .parameterSet(let kind) = NALUnit.kind(ofHeader: header, isHEVC: isHEVC)
        else { return nil }
        self.kind = kind
        // Between start codes there may be zeros, of which none ends a unit.
        self.unit = Array(unit[..<(unit.lastIndex { $0 != 0 }.map { $0 + 1 } ?? unit.endIndex)])
        // What follows an id never matters here, so that a long set need not be read whole.
        let content = NALUnit.unescaped(unit.dropFirst(NALUnit.headerSize(isHEVC: isHEVC)).prefix(128))
        var reader = BitReader(content)
        switch (kind, isHEVC) {
        case (.video, _): id = Int(reader.bits(4))
        case (.sequence, true):
            _ = reader.bits(4)
            let subLayers = Int(reader.bits(3))
            _ = reader.bit()
            Self.skipProfileTierLevel(&reader, subLayers: subLayers)
            id = Int(reader.unsigned())
        case (.sequence, false):
            _ = reader.bits(24)
            id = Int(reader.unsigned())
        case (.picture, _): id = Int(reader.unsigned())
        }
        guard id < 256 else { return nil }
    }

    /// H.265, 7.3.3.
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

/// The parameter sets that a stream uses.
package struct ParameterSets: Sendable, Hashable {
    private struct Name: Hashable {
        var kind: ParameterSet.Kind
        var id: Int
    }

    private var units: [Name: [UInt8]] = [:]
    /// Whether a set came again with another content: what refers to it depends on where it stands.
    private(set) var haveChanged = false

    mutating func add(_ set: ParameterSet) {
        let known = units.updateValue(set.unit, forKey: Name(kind: set.kind, id: set.id))
        if let known, known != set.unit { haveChanged = true }
    }

    /// Whether neither a sequence's nor a picture's set has an id.
    func isFree(_ id: Int) -> Bool {
        !units.keys.contains { $0.id == id && $0.kind != .video }
    }

    /// The first sequence parameter set.
    var sequence: [UInt8]? {
        units.filter { $0.key.kind == .sequence }.min { $0.key.id < $1.key.id }?.value
    }
}
