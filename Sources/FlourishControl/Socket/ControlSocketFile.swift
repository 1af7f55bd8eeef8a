import Flourish
import Platform

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
