import NIOCore
import NIOPosix

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
