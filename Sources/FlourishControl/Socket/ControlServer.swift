package import Flourish
import Synchronization
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Answers clients on a Unix socket, all of them on one thread of its own.
///
/// The video's threads never wait for it: they add lines to the ``EventFeed``
/// and wake this thread.
package final class ControlServer: Sendable {
    /// How many clients there may be at once.
    package static let mostClients = 512

    private let wake: WakePipe
    private let mailbox: ControlMailbox
    private let thread: Mutex<StageThread?>

    /// Begins to listen and to answer.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` where the socket cannot be made.
    package init(path: String, desk: ControlDesk) throws(FlourishError) {
        let file = try ControlSocketFile(path: path)
        guard let wake = WakePipe() else {
            throw FlourishError(.unavailable, "\(path): no pipe can be made (\(systemMessage(errno)))")
        }
        let mailbox = ControlMailbox(wake: wake)
        (self.wake, self.mailbox) = (wake, mailbox)
        desk.feed.listen { wake.ring() }
        thread = Mutex(StageThread {
            ControlLoop(file: file, desk: desk, wake: wake, mailbox: mailbox).run()
        })
    }

    /// Hands out what is still to be told, closes everything and waits for that; bounded, whoever reads.
    package func stop() {
        mailbox.close()
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
    }
}

/// A pipe that wakes a thread that polls.
final class WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32
    private let isRung = Atomic(false)

    init?() {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Wakes the thread; costs next to nothing where it was woken already.
    func ring() {
        guard !isRung.exchange(true, ordering: .acquiringAndReleasing) else { return }
        _ = DescriptorOutput.write([1], to: writeEnd)
    }

    /// To be called by the thread before it looks for what there is to do.
    func silence() {
        var byte: UInt8 = 0
        while unsafe read(readEnd, &byte, 1) > 0 {}
        isRung.store(false, ordering: .sequentiallyConsistent)
    }
}

/// Answers that other threads have finished, on their way to the server's.
final class ControlMailbox: Sendable {
    private struct State {
        var answers: [(connection: Int, line: String)] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wake: WakePipe

    init(wake: WakePipe) { self.wake = wake }

    func post(_ line: String, to connection: Int) {
        state.withLock { $0.answers.append((connection, line)) }
        wake.ring()
    }

    /// Asks the server to end.
    func close() {
        state.withLock { $0.isClosed = true }
        wake.ring()
    }

    func take() -> (answers: [(connection: Int, line: String)], isClosed: Bool) {
        state.withLock { state in
            defer { state.answers = [] }
            return (state.answers, state.isClosed)
        }
    }
}
