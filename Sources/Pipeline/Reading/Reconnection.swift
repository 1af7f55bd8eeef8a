import MediaIO
import Platform
import Reactions

/// Opens an input from the network again after it was lost.
///
/// The first attempt is made after one second. Each further delay is twice as long, up to half a minute. Times continue
/// from where the connection was lost.
package struct Reconnection {
    /// The maximum number of consecutive attempts.
    let attempts: Int
    let interrupt: InterruptFlag
    let emit: @Sendable (PipelineWarning) -> Void
    let open: @Sendable () throws(MediaError) -> FrameSource

    /// - Returns: `nil` if the input is never opened again.
    init?(
        to input: String, attempts: Int, _ interrupt: InterruptFlag,
        emit: @escaping @Sendable (PipelineWarning) -> Void,
        open: @escaping @Sendable () throws(MediaError) -> FrameSource
    ) {
        guard attempts > 0, case .network = MediaAddress(input) else { return nil }
        (self.attempts, self.interrupt, self.emit, self.open) = (attempts, interrupt, emit, open)
    }

    /// Returns the seconds to wait before an attempt; attempts are counted from 0.
    static func delay(before attempt: Int) -> Double { min(Double(1 << min(attempt, 5)), 30) }

    /// Tries to open the input again.
    ///
    /// - Parameters:
    ///   - lost: the lost input.
    ///   - time: The time at which the content of the lost input ended.
    /// - Returns: `nil` after the last attempt, or when the run is stopped.
    func resume(
        _ lost: Demuxer, at time: MediaTime?, because reason: MediaError?
    ) -> FrameSource? {
        var reason = reason?.description ?? "\(lost.path): the connection was closed"
        for attempt in 0..<attempts {
            let delay = Self.delay(before: attempt)
            emit(
                PipelineWarning(
                    code: .inputLost,
                    message: "\(reason); trying again in \(Int(delay)) s (attempt \(attempt + 1) of \(attempts))"))
            guard wait(delay) else { return nil }
            do throws(MediaError) {
                let source = try open()
                try check(source.demuxer, against: lost)
                source.demuxer.resume(at: time)
                emit(PipelineWarning(code: .inputResumed, message: "\(lost.path): the connection was restored"))
                return source
            } catch {
                // The error is not rethrown, so that the output written so far is not lost.
                reason = error.description
            }
        }
        emit(PipelineWarning(code: .inputLost, message: "\(reason); giving up"))
        return nil
    }

    /// Packets are copied by their stream numbers, so the numbers must refer to the same streams.
    private func check(_ demuxer: Demuxer, against lost: Demuxer) throws(MediaError) {
        let (old, new) = (lost.streams.map(\.codec), demuxer.streams.map(\.codec))
        guard old == new, demuxer.video.index == lost.video.index else {
            throw MediaError(
                .noVideo, file: lost.path,
                "\(lost.path): the connection was restored with different streams (\(new.joined(separator: ", "))) than before (\(old.joined(separator: ", ")))"
            )
        }
    }

    /// Waits for a number of seconds. Returns `false` as soon as the run is stopped.
    private func wait(_ seconds: Double) -> Bool {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(seconds) {
            if interrupt.isRaised { return false }
            usleep(50_000)
        }
        return !interrupt.isRaised
    }
}

extension PipelineWarning {
    /// The warning about an input that delivers no data.
    static func stalled(_ input: String, seconds: Double) -> PipelineWarning {
        PipelineWarning(
            code: .inputStalled, message: "\(input): no data was received for \(seconds.plainText) s; waiting")
    }
}
