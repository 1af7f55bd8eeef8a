import MediaIO
import Platform
import Reactions

/// Opens the input of a ``PipelineRun``, and provides the means to reopen it if its connection is lost.
struct RunInput: Sendable {
    private let path: String
    private let settings: InputSettings
    private let reconnects: Int
    private let interrupt: InterruptFlag
    private let pool: FramePool
    private let outlet: EventEmitter

    /// The number of threads that decode a recording. There are few, because each keeps frames in memory. With two
    /// cores, one thread is enough, since it decodes faster than the encoder encodes. Pictures do not depend on the
    /// number.
    static var decodingThreads: Int {
        Machine.cores > 2 ? 2 : 1
    }

    init(_ request: PipelineRequest, interrupt: InterruptFlag, pool: FramePool, outlet: EventEmitter) {
        let (path, options) = (request.input, request.configuration.input)
        self.path = path
        self.interrupt = interrupt
        self.pool = pool
        self.outlet = outlet
        reconnects = options.reconnects
        settings = request.inputSettings {
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
