package import Flourish
import FoundationEssentials
import NIOCore
import NIOPosix
import Platform
import Synchronization

/// Serves clients of a Unix socket, on the network thread.
///
/// The video's threads never wait for clients. These threads append lines to the ``EventFeed``, and wake the network
/// thread.
///
/// ```swift
/// let handler = CommandHandler(session: session)
/// let server = try ControlServer(path: "/run/user/1000/flourish.sock", handler: handler)
/// defer { server.stop() }
/// try await session.filter("call.mp4", to: "reacted.mp4")
/// ```
package final class ControlServer: Sendable {
    /// The maximum number of clients at once.
    package static let maximumClients = 512
    /// The maximum wait at the end until clients have read their replies.
    private static let shutdownLimit = TimeAmount.milliseconds(250)

    /// The socket's file, until the server ends.
    private let file: Mutex<ControlSocketFile?>
    private let listener: Listener

    /// Starts listening and serving clients.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the socket cannot be made.
    package init(path: String, handler: CommandHandler) throws(FlourishError) {
        let file = try ControlSocketFile(path: path)
        let rate = RateLimit()
        let snapshots = SnapshotWriter(session: handler.session)
        do {
            listener = try Listener.open(limit: Self.maximumClients, rate: rate) { bootstrap in
                // The event loop closes its own descriptor.
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

    /// Returns the given path of a socket, or otherwise `$FLOURISH_CONTROL`, or otherwise
    /// `$XDG_RUNTIME_DIR/flourish.sock`.
    ///
    /// - Throws: ``FlourishError/Code/usage`` if there is no path.
    package static func path(_ given: String?) throws(FlourishError) -> String {
        if let given, !given.isEmpty { return given }
        let environment = Resources.currentEnvironment()
        if let path = environment["FLOURISH_CONTROL"], !path.isEmpty { return path }
        if let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty { return folder + "/flourish.sock" }
        throw FlourishError(
            .usage,
            "the path of the control socket is unknown; give --control PATH, or set FLOURISH_CONTROL or XDG_RUNTIME_DIR"
        )
    }

    /// Sends pending replies, and then closes everything, within a limited time.
    package func stop() {
        try? listener.close(within: Self.shutdownLimit).wait()
        file.withLock { $0 = nil }
    }
}
