import Flourish
import NIOCore
import Platform
import Synchronization

/// The waveform of the recording, computed once on a separate thread, when a page first requests it.
final class Waveform: Sendable {
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

    /// Returns the peaks, as ``PeakFinder/peaks(of:_:interrupt:)`` does; `nil` while they are being computed. The first
    /// call starts the computation.
    func peaks() -> [UInt8]? {
        let (answer, begins) = state.withLock { state -> ([UInt8]?, Bool) in
            switch state {
            case .known(let peaks): return (peaks, false)
            case .reading: return (nil, false)
            case .untouched:
                state = .reading
                return (nil, true)
            }
        }
        if begins {
            StageThread { [self] in
                StageThread.yieldToOthers()
                // A recording whose sound cannot be read has no waveform.
                let peaks = try? PeakFinder.peaks(of: input, configuration, interrupt: interruption)
                state.withLock { $0 = .known(peaks ?? []) }
            }.detach()
        }
        return answer
    }

    /// Cancels the computation.
    func stop() { interruption.raise() }
}
