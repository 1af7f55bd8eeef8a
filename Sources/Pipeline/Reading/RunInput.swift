import MediaIO
import Platform
import Reactions

/// Opens a run's input, and reopens it if its connection is lost.
struct RunInput: Sendable {
    private let path: String
    private let settings: InputSettings
    private let reconnects: Int
    private let interrupt: InterruptFlag
    private let pool: FramePool
    private let outlet: EventEmitter

    /// Each decoding thread of a recording keeps its own frames. One thread is faster than an encoder on two cores;
    /// with more cores two are used. The pictures are the same.
    static var decodingThreads: Int {
        Machine.cores > 2 ? 2 : 1
    }

    init(
        _ path: String, _ configuration: Configuration, interrupt: InterruptFlag, pool: FramePool, outlet: EventEmitter
    ) {
        let options = configuration.input
        self.path = path
        self.interrupt = interrupt
        self.pool = pool
        self.outlet = outlet
        reconnects = options.reconnects
        settings = InputSettings(configuration, address: path) {
            outlet.emit(
                PipelineWarning(
                    code: .inputStalled,
                    message: "\(path): no data was received for \(options.stallAfter.plainText) s; waiting"))
        }
    }

    /// Opens the input and its decoder.
    @Sendable
    func open() throws(MediaError) -> FrameSource {
        let isLive = settings.isLowDelay
        return try FrameSource(
            path, settings, threads: isLive ? 0 : Self.decodingThreads, isLowDelay: isLive, interrupt: interrupt,
            pool: pool)
    }

    /// The settings for reopening the input; `nil` if it is not reopened.
    var reconnection: Reconnection? {
        guard reconnects > 0, case .network = MediaAddress(path) else { return nil }
        return Reconnection(attempts: reconnects, interrupt: interrupt, emit: outlet.emit, open: open)
    }
}

/// Opens an input from the network again after it was lost.
///
/// The first attempt is made after one second. Each further delay is twice as long, up to half a minute. Times continue
/// from where the connection was lost.
package struct Reconnection {
    /// Attempts in a row before it gives up.
    let attempts: Int
    let interrupt: InterruptFlag
    let emit: @Sendable (PipelineWarning) -> Void
    let open: @Sendable () throws(MediaError) -> FrameSource

    /// Seconds to wait before an attempt, counted from 0.
    static func delay(before attempt: Int) -> Double { min(Double(1 << min(attempt, 5)), 30) }

    /// Tries to open the input again.
    ///
    /// - Parameters:
    ///   - lost: the input as it was.
    ///   - time: The time at which its content broke off.
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
                // The error is not rethrown, so that the output written until now is not lost.
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

    /// Waits, unless the run is stopped meanwhile.
    private func wait(_ seconds: Double) -> Bool {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(seconds) {
            if interrupt.isRaised { return false }
            usleep(50_000)
        }
        return !interrupt.isRaised
    }
}
