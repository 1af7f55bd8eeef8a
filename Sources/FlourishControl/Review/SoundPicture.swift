import Flourish
import Platform
import Synchronization

/// How loud the recording is over time: found out once, when the first page asks.
final class SoundPicture: Sendable {
    enum Answer: Sendable {
        case comes
        /// See ``PeakFinder/peaks(of:_:interrupt:)``.
        case peaks([UInt8])
    }

    private enum State {
        case untouched, reading
        case known([UInt8])
    }

    private let input: String
    private let configuration: Configuration
    private let interruption = Interruption()
    private let state = Mutex(State.untouched)

    init(of input: String, _ configuration: Configuration) {
        self.input = input
        self.configuration = configuration
    }

    /// What is known by now; the first who asks has it found out.
    func ask() -> Answer {
        let (answer, begins) = state.withLock { state -> (Answer, Bool) in
            switch state {
            case .known(let peaks): return (.peaks(peaks), false)
            case .reading: return (.comes, false)
            case .untouched:
                state = .reading
                return (.comes, true)
            }
        }
        if begins {
            StageThread { [self] in
                StageThread.yieldToOthers()
                // A recording whose sound cannot be read has no picture of it.
                let peaks = try? PeakFinder.peaks(of: input, configuration, interrupt: interruption)
                state.withLock { $0 = .known(peaks ?? []) }
            }.detach()
        }
        return answer
    }

    /// Ends the reading early.
    func stop() { interruption.raise() }
}
