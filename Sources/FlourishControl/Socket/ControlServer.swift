package import Flourish
import Synchronization
import Platform

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
        thread = Mutex(
            StageThread {
                ControlLoop(file: file, desk: desk, wake: wake, mailbox: mailbox).run()
            })
    }

    /// Hands out what is still to be told, closes everything and waits for that; bounded, whoever reads.
    package func stop() {
        mailbox.close()
        if let thread = thread.withLock({ $0.take() }) { thread.join() }
    }
}
