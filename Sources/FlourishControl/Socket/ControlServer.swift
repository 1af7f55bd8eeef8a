package import Flourish
import NIOCore
import NIOPosix
import Platform
import Synchronization

/// Answers clients on a Unix socket, all of them on the network thread.
///
/// The video's threads never wait for it: they add lines to the ``EventFeed`` and wake that thread.
package final class ControlServer: Sendable {
    /// How many clients there may be at once.
    package static let mostClients = 512
    /// How long readers have at the end to take what they have not yet taken.
    private static let farewell = TimeAmount.milliseconds(250)

    /// The socket's place, until the server ends.
    private let file: Mutex<ControlSocketFile?>
    private let listener: Listener

    /// Begins to listen and to answer.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` where the socket cannot be made.
    package init(path: String, handler: CommandHandler) throws(FlourishError) {
        let file = try ControlSocketFile(path: path)
        let rate = RateLimit()
        let snapshots = SnapshotWriter(session: handler.session)
        do {
            listener = try Listener.open(limit: Self.mostClients, rate: rate) { bootstrap in
                // The event loop closes its own.
                bootstrap.withBoundSocket(fcntl(file.socket.descriptor, F_DUPFD_CLOEXEC, 0))
            } begin: { channel, isWithinLimit in
                let connection = ControlConnection(
                    channel: channel, handler: handler, snapshots: snapshots, rate: rate)
                guard isWithinLimit else {
                    NetworkThread.run { connection.refuse() }
                    return
                }
                let stream = try NIOAsyncChannel<ByteBuffer, Never>(
                    wrappingChannelSynchronously: channel,
                    configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 1)))
                let task = NetworkThread.run { try? await connection.serve(stream) }
                channel.closeFuture.whenComplete { _ in task.cancel() }
            }.wait()
        } catch {
            throw FlourishError(.unavailable, "\(path): \(systemMessage((error as? IOError)?.errnoCode ?? errno))")
        }
        self.file = Mutex(file)
    }

    /// Hands out what is still to be told, closes everything and waits for that; bounded, whoever reads.
    package func stop() {
        try? listener.close(within: Self.farewell).wait()
        file.withLock { $0 = nil }
    }
}
