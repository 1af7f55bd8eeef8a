/// The greatest step from one packet of a stream to the next. Some containers count steps in few bits.
struct PacketLeap: Sendable {
    private var ticks: Int64 = 0
    private var seconds = 0.0
    /// Where it begins, in seconds.
    private var start = 0.0

    /// Takes two times between which a container counts, in ticks: a packet's decoding time and the next one's, its end,
    /// or when it is shown.
    mutating func note(from first: Int64, to second: Int64, _ timeBase: Rational) {
        let (step, overflows) = second.subtractingReportingOverflow(first)
        guard overflows || step > ticks else { return }
        ticks = overflows ? .max : step
        seconds = (Double(second) - Double(first)) * timeBase.value
        start = max(0, Double(first) * timeBase.value)
    }

    /// What to say of an output in which the step has no room; nil where it has.
    func fault(in container: ContainerFormat, _ path: String) -> MediaError? {
        guard ticks > container.longestStep else { return nil }
        let (from, length) = (Self.words(start), Self.words(seconds))
        return MediaError(
            .damaged, file: path,
            "\(path): the input's times leap by \(length) s at \(from) s, for which \(container.displayName) has no room; write .mkv, or mend the input's times"
        )
    }

    private static func words(_ seconds: Double) -> String {
        seconds.magnitude < 1e15 ? String(Int(seconds.rounded())) : String(seconds)
    }
}

extension ContainerFormat {
    /// How many ticks two packets may lie apart, as libavformat writes it.
    fileprivate var longestStep: Int64 {
        switch self {
        // Sample durations are 32 bits.
        case .mp4, .mov: Int64(Int32.max)
        // It fills up what is missing with empty frames, but not with that many (avienc.c).
        case .avi: 65_536
        default: .max
        }
    }
}
