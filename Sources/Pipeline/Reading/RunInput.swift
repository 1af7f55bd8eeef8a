import MediaIO
import Platform
import Reactions

/// Opens a run's input, again where its connection is lost.
struct RunInput: Sendable {
    private let path: String
    private let settings: InputSettings
    private let reconnects: Int
    private let interrupt: InterruptFlag
    private let pool: FramePool
    private let outlet: EventOutlet

    /// Each decoding thread of a recording holds frames of its own. One keeps ahead of an encoder on two cores,
    /// two on more; the pictures are the same.
    static var decodingThreads: Int {
        Machine.cores > 2 ? 2 : 1
    }

    init(
        _ path: String, _ configuration: Configuration, interrupt: InterruptFlag, pool: FramePool, outlet: EventOutlet
    ) {
        let options = configuration.input
        self.path = path
        self.interrupt = interrupt
        self.pool = pool
        self.outlet = outlet
        reconnects = options.reconnects
        settings = InputSettings(configuration, address: path) {
            outlet.tell(
                PipelineWarning(
                    code: .inputStalled,
                    message: "\(path): no data came for \(options.stallAfter.plainText) s; waiting"))
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

    /// How it is opened again; `nil` where it is not.
    var reconnection: Reconnection? {
        guard reconnects > 0, case .network = MediaAddress(path) else { return nil }
        return Reconnection(attempts: reconnects, interrupt: interrupt, tell: outlet.tell, open: open)
    }
}
