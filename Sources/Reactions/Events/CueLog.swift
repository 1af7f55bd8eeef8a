import Platform
import Synchronization

/// Writes the effects in progress as a WebVTT file of metadata cues, for web players. Each interval with the same
/// effects is a cue. The text of a cue is `{"effects": […]}`, as in the JSON contract.
///
/// A cue is written when it ends.
///
/// ```swift
/// let cues = try CueLog(path: "effects.vtt")
/// try await session.detect("call.mp4", observer: SessionObserver(event: { cues.write($0) }))
/// try cues.check()
/// ```
public final class CueLog: Sendable {
    private struct State: ~Copyable {
        var file: LogFile
        /// The interval in progress.
        var current: (start: Double, effects: [ReactionEffectState])?
        var failure: FlourishError?

        mutating func put(_ text: String) {
            guard failure == nil else { return }
            let code = file.append(text)
            if code != 0 { failure = file.failure(code) }
        }

        mutating func finishCue(at end: Double) {
            guard let (start, effects) = current, end > start else { return }
            // The characters `-->` would end the cue's text, so the last one is escaped.
            let text = JSONLine.encode(["effects": effects]).split(separator: "-->", omittingEmptySubsequences: false)
                .joined(separator: "--\\u003e")
            put("\n\(CueLog.clock(start)) --> \(CueLog.clock(end))\n\(text)\n")
        }
    }

    private let state: Mutex<State>

    /// Opens the file. A new file is created now; an existing one is emptied before the first event.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if it cannot be written.
    public init(path: String) throws(FlourishError) {
        state = Mutex(State(file: try LogFile(path: path, content: "cues", option: "--sidecar")))
    }

    /// Processes an event, on any thread. Writes the cue in progress if the event ends it.
    public func write(_ event: ReactionEvent) {
        state.withLock { state in
            if !state.file.hasBegun { state.put("WEBVTT\n\nNOTE The effects in progress, written by flourish\n") }
            switch event.kind {
            case .effectsInProgress(let effects):
                state.finishCue(at: event.time)
                state.current = effects.isEmpty ? nil : (event.time, effects)
            case .streamEnded:
                state.finishCue(at: event.time)
                state.current = nil
            default: break
            }
        }
    }

    /// Throws the error of any earlier write.
    public func check() throws(FlourishError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Formats a time: 75.5 → 00:01:15.500. WebVTT has no negative times, and times are limited to a million hours.
    package static func clock(_ seconds: Double) -> String {
        let all = Int((min(max(0, seconds), 3.6e9) * 1000).rounded())
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return
            "\(digits(all / 3_600_000, 2)):\(digits(all / 60_000 % 60, 2)):\(digits(all / 1000 % 60, 2)).\(digits(all % 1000, 3))"
    }
}
