package import Flourish
import FoundationEssentials
import NIOCore
import NIOPosix
import Platform
import Synchronization

/// Serves clients of a Unix socket, on the network thread.
///
/// The video's threads never wait for it. They append lines to the ``EventFeed``, and wake this thread.
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

/// A client of the control socket. Each request and each reply is one line.
///
/// Back-pressure: the server stops reading from a client that does not read its replies.
private struct ControlConnection: Sendable {
    let channel: any NIOCore.Channel
    let handler: CommandHandler
    let snapshots: SnapshotWriter
    let rate: RateLimit

    /// Serves the client until it has closed the connection, or has closed its sending side and received all replies.
    func serve(_ stream: NIOAsyncChannel<ByteBuffer, Never>) async throws {
        try await stream.executeThenClose { inbound, _ in
            try await withThrowingDiscardingTaskGroup { group in
                var lines = LineSplitter()
                var observes = false
                for try await piece in inbound {
                    try await rate.spend(piece.readableBytes / 1024).get()
                    for line in lines.add(piece.readableBytesView) {
                        try await rate.spend(1).get()
                        try await answer(line, observes: &observes) { work in group.addTask(operation: work) }
                    }
                }
            }
        }
    }

    /// Refuses the client with a message.
    func refuse() {
        let message = "the limit of \(ControlServer.maximumClients) clients is reached; try again later"
        channel.writeAndFlush(buffer(ControlRequest.refusal(message))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    /// - Parameter detach: Runs work that takes long, while further lines are processed.
    private func answer(
        _ line: LineSplitter.Line, observes: inout Bool, detach: (@escaping @Sendable () async throws -> Void) -> Void
    ) async throws {
        guard case .whole(let bytes) = line else {
            return try await send(ControlRequest.refusal("the line is longer than \(LineSplitter.longest) bytes"))
        }
        let request = ControlRequest(line: bytes)
        switch request.command {
        case .failure(let error): try await send(request.answer(.failure(error)))
        case .success(.observe) where observes:
            try await send(request.answer(.failure(ControlError("this client observes already"))))
        case .success(.observe):
            observes = true
            try await send(request.answer(.success(.null)))
            let (snapshot, cursor) = handler.feed.join()
            try await send(snapshot)
            detach { try await handler.feed.follow(from: cursor) { try await send($0.joined(separator: "\n")) } }
        case .success(.snapshot(let path)):
            detach { try await send(request.answer(await snapshots.snapshot(path: path))) }
        case .success(.photo(let time, let quality)):
            // A photograph shows the instant of its request, so the instant is read before the wait.
            let instant = time ?? handler.session.seenTime
            detach { try await send(request.answer(await handler.photograph(at: instant, quality))) }
        case .success(let command):
            try await send(request.answer(Result { () throws(ControlError) in try handler.perform(command) }))
        }
    }

    private func send(_ line: String) async throws {
        try await channel.writeAndFlush(buffer(line)).get()
    }

    private func buffer(_ line: String) -> ByteBuffer { ByteBuffer(string: line + "\n") }
}

/// Captures snapshots of the output for clients, a few at a time.
private final class SnapshotWriter: Sendable {
    /// The maximum number of concurrent snapshots. Each holds a picture in memory.
    private static let maximum = 4

    private let session: ReactionSession
    private let count = Atomic(0)

    init(session: ReactionSession) { self.session = session }

    /// Captures the next frame.
    ///
    /// - Parameter path: The path of the PNG file, which must not exist; `nil` for base64 in the reply.
    func snapshot(path: String?) async -> Result<ControlValue?, ControlError> {
        if let path, let refusal = Self.refusal(of: path) { return .failure(ControlError(refusal)) }
        defer { count.subtract(1, ordering: .relaxed) }
        guard count.add(1, ordering: .relaxed).newValue <= Self.maximum else {
            return .failure(ControlError("\(Self.maximum) snapshots are in progress; try again"))
        }
        do throws(FlourishError) {
            let png = try await session.pngSnapshot()
            // Writing to a slow disk must not block other clients.
            return await withTaskExecutorPreference(globalConcurrentExecutor) { Self.deliver(png, to: path) }
        } catch {
            return .failure(ControlError(error))
        }
    }

    /// Returns the reason why a picture cannot be written there; `nil` if it can.
    private static func refusal(of path: String) -> String? {
        if !path.hasPrefix("/") { return "\"path\" must be absolute, since the program's working directory may differ" }
        // System calls would truncate the path at that character.
        if path.utf8.contains(0) { return "\"path\" must not contain a NUL" }
        if TemporaryFile.isAwaited(path) { return "\(path) is the output of this run; choose another path" }
        return nil
    }

    private static func deliver(_ png: [UInt8], to path: String?) -> Result<ControlValue?, ControlError> {
        guard let path else {
            return .success(.object(["png": .text(Data(png).base64EncodedString())]))
        }
        do {
            try Data(png).write(to: URL(filePath: path), options: .withoutOverwriting)
            return .success(.object(["path": .text(path)]))
        } catch {
            let exists = FileManager.default.fileExists(atPath: path)
            return .failure(
                ControlError(
                    exists ? "\(path) exists; choose another path" : "\(path) cannot be written"))
        }
    }
}
