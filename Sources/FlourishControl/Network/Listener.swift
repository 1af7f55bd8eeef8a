import NIOCore
import NIOPosix
import Synchronization

/// A listening socket and its open connections, on the network thread. ``ControlServer`` and ``PageServer`` use it.
final class Listener: Sendable {
    private let channel: any Channel
    private let connections: ConnectionSet

    /// The port that the socket is bound to.
    var port: UInt16? { channel.localAddress?.port.flatMap(UInt16.init) }

    private init(channel: any Channel, connections: ConnectionSet) {
        self.channel = channel
        self.connections = connections
    }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of connections at once.
    ///   - rate: Limits how fast new connections are accepted.
    ///   - open: Binds the socket.
    ///   - begin: Prepares each connection on the network thread, before any data arrives. `isWithinLimit` is false for
    ///     a connection beyond the limit.
    static func open(
        limit: Int, rate: RateLimit, at open: (ServerBootstrap) -> EventLoopFuture<any Channel>,
        begin: @escaping @Sendable (_ channel: any Channel, _ isWithinLimit: Bool) throws -> Void
    ) -> EventLoopFuture<Listener> {
        let connections = ConnectionSet(limit: limit)
        let bootstrap = ServerBootstrap(group: NetworkThread.loop)
            .serverChannelOption(.backlog, value: 128)
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        // Accepting pauses while the process has no free descriptors.
                        AcceptBackoffHandler(shouldForwardIOErrorCaught: false), AcceptRateHandler(rate),
                    ])
                }
            }
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 8192))
            // A client that closes its sending side may still wait for replies.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try begin(channel, connections.insert(channel)) }
            }
        return open(bootstrap).map { Listener(channel: $0, connections: connections) }
    }

    /// Stops accepting connections and requests. Closes each connection when all its replies are written, or after
    /// `gracePeriod`.
    ///
    /// - Returns: A future that succeeds when all connections are closed.
    func close(within gracePeriod: TimeAmount) -> EventLoopFuture<Void> {
        let loop = channel.eventLoop
        channel.close(promise: nil)
        // The loop runs this after it has added the connections that were accepted so far.
        let open = loop.submit { self.connections.all }
        return open.flatMap { open in
            for connection in open { connection.close(mode: .input, promise: nil) }
            let end = loop.scheduleTask(in: gracePeriod) { for connection in open { connection.close(promise: nil) } }
            return EventLoopFuture.andAllComplete(open.map(\.closeFuture) + [self.channel.closeFuture], on: loop).always
            { _ in
                end.cancel()
            }
        }
    }
}

/// The open connections of a listener.
private final class ConnectionSet: Sendable {
    private let limit: Int
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    init(limit: Int) { self.limit = limit }

    var all: [any Channel] { channels.withLock { Array($0.values) } }

    /// Adds a connection until it is closed.
    ///
    /// - Returns: A Boolean value that indicates whether the connection is within the limit.
    func insert(_ channel: any Channel) -> Bool {
        let isWithinLimit = channels.withLock { channels in
            channels[ObjectIdentifier(channel)] = channel
            return channels.count <= limit
        }
        channel.closeFuture.whenComplete { _ in self.channels.withLock { $0[ObjectIdentifier(channel)] = nil } }
        return isWithinLimit
    }
}

/// The thread that serves all clients of the socket and the pages. The thread starts with the first server, so a run
/// without servers has none.
enum NetworkThread {
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    static let loop: any EventLoop = group.next()

    private static let executor = Executor(loop: loop)

    /// Runs asynchronous work on this thread, so that busy threads of the concurrency runtime do not delay it.
    @discardableResult
    static func run(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: executor, operation: work)
    }

    private final class Executor: TaskExecutor {
        private let loop: any EventLoop

        init(loop: any EventLoop) { self.loop = loop }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            loop.execute { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}

/// Limits the work that all clients together can cause, so that floods of requests do not take processor time from the
/// video.
///
/// The limit is a token bucket. One unit is about 20 µs of work: a line or a kilobyte of input.
final class RateLimit: Sendable {
    /// The number of units in an interval, which gives 3200 a second.
    private static let units = 64
    private static let interval = TimeAmount.milliseconds(20)

    private struct State {
        var left = RateLimit.units
        /// The end of the interval.
        var end = NIODeadline.uptimeNanoseconds(0)
        /// The waiting requests, oldest first.
        var waiting: [(units: Int, promise: EventLoopPromise<Void>)] = []
    }

    private let state = Mutex(State())
    private let loop: any EventLoop

    init(loop: any EventLoop = NetworkThread.loop) { self.loop = loop }

    /// Spends some units.
    ///
    /// - Returns: A future that succeeds when the units are available. The future succeeds at once unless clients
    ///   exceed the limit.
    func spend(_ units: Int) -> EventLoopFuture<Void> {
        let now = NIODeadline.now()
        return state.withLock { state in
            if state.waiting.isEmpty {
                refill(&state, now: now)
                if state.left > 0 {
                    state.left -= units
                    return loop.makeSucceededVoidFuture()
                }
                loop.scheduleTask(deadline: state.end) { self.serveWaiting() }
            }
            let promise = loop.makePromise(of: Void.self)
            state.waiting.append((units, promise))
            return promise.futureResult
        }
    }

    /// Begins the next interval if the last one is over. Units that were overspent are subtracted.
    private func refill(_ state: inout State, now: NIODeadline) {
        guard now >= state.end else { return }
        state.left = min(state.left, 0) + Self.units
        state.end = now + Self.interval
    }

    private func serveWaiting() {
        let now = NIODeadline.now()
        let served = state.withLock { state in
            refill(&state, now: now)
            var count = 0
            while state.left > 0, count < state.waiting.count {
                state.left -= state.waiting[count].units
                count += 1
            }
            let served = state.waiting.prefix(count).map(\.promise)
            state.waiting.removeFirst(count)
            if !state.waiting.isEmpty { loop.scheduleTask(deadline: state.end) { self.serveWaiting() } }
            return served
        }
        for promise in served { promise.succeed() }
    }
}

/// Makes a listener accept connections no faster than the rate limit allows.
final class AcceptRateHandler: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = Never

    /// The cost of a connection over its whole life, in units.
    private static let cost = 4

    private let limit: RateLimit

    init(_ limit: RateLimit) { self.limit = limit }

    func read(context: ChannelHandlerContext) {
        limit.spend(Self.cost).assumeIsolated().whenSuccess { context.read() }
    }
}
