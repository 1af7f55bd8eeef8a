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

/// The file of a listening socket, which only its owner can use. A stale socket of this program is replaced, nothing
/// else.
///
/// The running program holds a lock on `PATH.lock`, next to the socket at `PATH`. A socket next to an unlocked lock
/// file is stale. Any other file at `PATH` is not changed.
final class ControlSocketFile: Sendable {
    let path: String
    let socket: LocalSocket
    private let lock: Int32

    /// Begins to listen.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable``, with a remedy.
    init(path: String) throws(FlourishError) {
        self.path = path
        guard !path.isEmpty, path.utf8.count <= LocalSocket.longestPath else {
            throw Self.failure(path, "a socket's path has 1 to \(LocalSocket.longestPath) bytes; choose a shorter one")
        }
        let held = try Self.lock(path)
        do throws(FlourishError) {
            try Self.clear(path, lockIsOld: held.isOld)
            socket = try Self.listen(path)
        } catch {
            if !held.isOld { _ = unsafe unlink(Self.lockPath(path)) }
            close(held.descriptor)
            throw error
        }
        lock = held.descriptor
    }

    deinit {
        _ = unsafe unlink(path)
        // The file is unlinked before it is unlocked, so a process that waits for the lock sees that the file is gone.
        _ = unsafe unlink(Self.lockPath(path))
        close(lock)
    }

    private static func lockPath(_ path: String) -> String { path + ".lock" }

    /// Acquires the lock of a path. Returns the descriptor, and whether the lock's file existed.
    private static func lock(_ path: String) throws(FlourishError) -> (descriptor: Int32, isOld: Bool) {
        let name = lockPath(path)
        // Another process may remove the file between two calls; then the attempt is repeated.
        for _ in 0..<8 {
            var isOld = false
            var descriptor = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EEXIST {
                isOld = true
                descriptor = unsafe open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
                if descriptor < 0, errno == ENOENT { continue }
            }
            guard descriptor >= 0 else {
                throw failure(path, "\(name) cannot be created (\(systemMessage(errno))); choose another path")
            }
            var held = stat(), named = stat()
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw failure(path, "another flourish is listening; choose another path")
            }
            if unsafe fstat(descriptor, &held) == 0, unsafe lstat(name, &named) == 0,
                held.st_ino == named.st_ino, held.st_dev == named.st_dev, held.st_uid == geteuid()
            {
                return (descriptor, isOld)
            }
            close(descriptor)
        }
        throw failure(path, "\(name) belongs to another user; choose another path")
    }

    /// Removes a stale socket of this program, and refuses anything else.
    private static func clear(_ path: String, lockIsOld: Bool) throws(FlourishError) {
        var info = stat()
        guard unsafe lstat(path, &info) == 0 else { return }
        guard info.st_mode & S_IFMT == S_IFSOCK else {
            throw failure(path, "the file exists and is not a socket; choose another path")
        }
        var isDead = false
        if let caller = LocalSocket() { isDead = caller.connect(to: path) == ECONNREFUSED }
        guard lockIsOld, isDead, info.st_uid == geteuid() else {
            throw failure(path, "the socket belongs to another program; choose another path")
        }
        _ = unsafe unlink(path)
    }

    /// Binds the socket and listens. No client can connect before `listen`, so the mode is set in time.
    private static func listen(_ path: String) throws(FlourishError) -> LocalSocket {
        guard let socket = LocalSocket() else { throw failure(path, systemMessage(errno)) }
        // Linux gives the file the mode of the socket.
        _ = fchmod(socket.descriptor, 0o600)
        let status = socket.bind(to: path)
        guard status == 0 else {
            throw failure(path, "the socket cannot be created (\(systemMessage(status))); choose another path")
        }
        var info = stat()
        let isPrivate = unsafe lstat(path, &info) == 0 && info.st_mode & 0o777 == 0o600
        guard unsafe isPrivate || chmod(path, 0o600) == 0 else {
            _ = unsafe unlink(path)
            throw failure(path, "the file system does not support file permissions; choose another path")
        }
        socket.makeNonblocking()
        #if canImport(Darwin)
        let listening = Darwin.listen(socket.descriptor, 128)
        #else
        let listening = Glibc.listen(socket.descriptor, 128)
        #endif
        guard listening == 0 else {
            _ = unsafe unlink(path)
            throw failure(path, systemMessage(errno))
        }
        return socket
    }

    private static func failure(_ path: String, _ message: String) -> FlourishError {
        FlourishError(.outputUnavailable, "\(path): \(message)")
    }
}

/// Captures frames of the output for clients, a few at a time, and writes them as PNG files or into replies.
final class SnapshotWriter: Sendable {
    /// The maximum number of concurrent snapshots. Each holds a picture in memory.
    private static let maximum = 4

    private let session: ReactionSession
    private let count = Atomic(0)

    init(session: ReactionSession) { self.session = session }

    /// Captures the next frame.
    ///
    /// - Parameter path: The path of the PNG file, which must not exist; `nil` for base64 in the reply.
    func snapshot(path: String?) async -> Result<JSONValue?, ControlError> {
        if let path, let refusal = Self.refusal(of: path) { return .failure(ControlError(.invalidValue, refusal)) }
        defer { count.subtract(1, ordering: .relaxed) }
        guard count.add(1, ordering: .relaxed).newValue <= Self.maximum else {
            return .failure(ControlError(.busy, "\(Self.maximum) snapshots are in progress; try again"))
        }
        do throws(FlourishError) {
            let png = try await session.pngSnapshot(within: Self.frameLimit)
            // Writing to a slow disk must not block other clients.
            return await withTaskExecutorPreference(globalConcurrentExecutor) { Self.deliver(png, to: path) }
        } catch {
            return .failure(ControlError(.failed, error))
        }
    }

    /// The time that a client waits for a frame. Without a limit, clients of a stalled stream would use up all snapshots.
    private static let frameLimit = Duration.seconds(10)

    /// Returns the reason why a picture cannot be written to a path; `nil` if it can.
    private static func refusal(of path: String) -> String? {
        if !path.hasPrefix("/") { return "\"path\" must be absolute, since the program's working directory may differ" }
        // System calls would truncate the path at that character.
        if path.utf8.contains(0) { return "\"path\" must not contain a NUL" }
        if TemporaryFile.isAwaited(path) { return "\(path) is the output of this run; choose another path" }
        return nil
    }

    private static func deliver(_ png: [UInt8], to path: String?) -> Result<JSONValue?, ControlError> {
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
                    .failed, exists ? "\(path) exists; choose another path" : "\(path) cannot be written"))
        }
    }
}
