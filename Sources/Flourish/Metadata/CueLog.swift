#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import Synchronization

/// Writes which effects are in progress as a WebVTT file of metadata cues, for web players: a cue for
/// each stretch of time in which the same effects run, whose text is `{"effects": […]}` as in the
/// JSON contract.
///
/// A cue is written when it ends.
public final class CueLog: Sendable {
    private struct State {
        /// The stretch that is under way.
        var current: (start: Double, effects: [ReactionEffectState])?
        var failure: FlourishError?
    }

    private let path: String
    private let descriptor: Int32
    private let state = Mutex(State())

    /// Creates the file, or empties it.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if it cannot be written.
    public init(path: String) throws(FlourishError) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            throw FlourishError(
                .outputUnavailable,
                "\(path): cues cannot be written there (\(systemMessage(errno))); choose another --sidecar path")
        }
        state.withLock { put("WEBVTT\n\nNOTE The effects in progress, written by flourish\n", &$0) }
    }

    deinit { close(descriptor) }

    /// Takes an event; those that change nothing are ignored.
    public func write(_ event: ReactionEvent) {
        state.withLock { state in
            switch event.kind {
            case .effectsInProgress(let effects):
                finishCue(at: event.time, &state)
                state.current = effects.isEmpty ? nil : (event.time, effects)
            case .streamEnded:
                finishCue(at: event.time, &state)
                state.current = nil
            default: break
            }
        }
    }

    /// Throws what went wrong with any earlier write.
    public func check() throws(FlourishError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func finishCue(at end: Double, _ state: inout State) {
        guard let (start, effects) = state.current, end > start else { return }
        // An arrow would end the cue's text.
        let text = JSONLine.encode(["effects": effects]).split(separator: "-->", omittingEmptySubsequences: false)
            .joined(separator: "--\\u003e")
        put("\n\(Self.clock(start)) --> \(Self.clock(end))\n\(text)\n", &state)
    }

    private func put(_ text: String, _ state: inout State) {
        guard state.failure == nil else { return }
        let code = DescriptorOutput.write(Array(text.utf8), to: descriptor)
        guard code != 0 else { return }
        state.failure = FlourishError(.inputOutput, "\(path): writing cues failed (\(systemMessage(code)))")
    }

    /// 75.5 → 00:01:15.500. WebVTT has no time before 0.
    static func clock(_ seconds: Double) -> String {
        let all = Int((max(0, seconds) * 1000).rounded())
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return "\(digits(all / 3_600_000, 2)):\(digits(all / 60_000 % 60, 2)):\(digits(all / 1000 % 60, 2)).\(digits(all % 1000, 3))"
    }
}
