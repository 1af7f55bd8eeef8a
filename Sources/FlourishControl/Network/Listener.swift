import NIOCore
import NIOPosix
import Synchronization

/// A listening socket and the connections that came through it.
final class Listener: Sendable {
    private let channel: any Channel
    private let connections: ConnectionSet

    /// Where it listens.
    var port: UInt16? { channel.localAddress?.port.flatMap(UInt16.init) }

    private init(channel: any Channel, connections: ConnectionSet) {
        self.channel = channel
        self.connections = connections
    }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - limit: how many connections there may be at once.
    ///   - rate: bounds how fast new ones are taken.
    ///   - open: gives the kind of socket to listen on.
    ///   - begin: prepares each connection, on the network thread, before anything comes through it; it is told
    ///     whether this one is within the limit.
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
                        // While the process has no more descriptors, those who want in wait.
                        AcceptBackoffHandler(shouldForwardIOErrorCaught: false), AcceptRateHandler(rate),
                    ])
                }
            }
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 8192))
            // Who has nothing more to ask may still wait for answers.
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try begin(channel, connections.insert(channel)) }
            }
        return open(bootstrap).map { Listener(channel: $0, connections: connections) }
    }

    /// Takes no more connections and no more requests, and closes each connection when all it is owed has been
    /// written, or when the time is over.
    ///
    /// - Returns: a future that comes when all is closed.
    func close(within grace: TimeAmount) -> EventLoopFuture<Void> {
        let loop = channel.eventLoop
        channel.close(promise: nil)
        // What came up to now is taken first.
        let open = loop.submit { self.connections.all }
        return open.flatMap { open in
            for connection in open { connection.close(mode: .input, promise: nil) }
            let end = loop.scheduleTask(in: grace) { for connection in open { connection.close(promise: nil) } }
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

    /// Notes a connection until it is closed.
    ///
    /// - Returns: whether there was room for one more.
    func insert(_ channel: any Channel) -> Bool {
        let isWithinLimit = channels.withLock { channels in
            channels[ObjectIdentifier(channel)] = channel
            return channels.count <= limit
        }
        channel.closeFuture.whenComplete { _ in self.channels.withLock { $0[ObjectIdentifier(channel)] = nil } }
        return isWithinLimit
    }
}

/// The one thread on which all clients are served, those of the socket and those of the panel. It starts with the
/// first server; a run without any has none.
enum NetworkThread {
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    /// Its event loop.
    static let loop: any EventLoop = group.next()

    private static let executor = Executor(loop: loop)

    /// Does asynchronous work on this thread, whatever keeps the threads of other tasks busy.
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
