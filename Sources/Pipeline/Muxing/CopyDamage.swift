package import MediaIO

/// What was left out of the copied streams, joined into stretches of each.
package struct CopyDamage {
    private var reports: [Int: DamageReport] = [:]

    package init() {}

    /// Takes the damage that was met while a packet was written.
    ///
    /// - Parameters:
    ///   - stream: the packet's stream, in which one that was written ends a stretch.
    ///   - joins: whether it does not.
    /// - Returns: a warning for a stretch that has ended.
    package mutating func add(_ damage: [DecodingDamage], stream: Int, joins: Bool = false) -> [PipelineWarning] {
        if damage.isEmpty, joins || reports[stream] == nil { return [] }
        let warnings = reports[stream, default: DamageReport()].add(damage, isClean: damage.isEmpty)
        if damage.isEmpty { reports[stream] = nil }
        return warnings
    }

    /// Takes what was met at the end; returns all that is left to be told.
    package mutating func finish(_ damage: [DecodingDamage]) -> [PipelineWarning] {
        defer { reports = [:] }
        var warnings = reports.sorted { $0.key < $1.key }.flatMap { entry in
            var report = entry.value
            return report.add([], isClean: true)
        }
        var last = DamageReport()
        warnings += last.add(damage, isClean: true)
        return warnings
    }
}
