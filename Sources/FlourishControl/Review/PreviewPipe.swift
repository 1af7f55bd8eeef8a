import Flourish
import NIOCore
import Platform
import Synchronization

/// What a session writes into a named pipe, on its way to a browser. The session works no faster than the browser reads.
final class PreviewPipe: Sendable {
    /// How much is read at once, in bytes.
    private static let piece = 64 * 1024
    private static let count = Atomic(0)

    let path: String
    /// Used by one reader at a time.
    private let reader: Mutex<Int32>
    /// Held open until the session has ended, so that whoever reads waits for it.
    private let keeper: Mutex<Int32>

    /// Makes a pipe that nobody else knows of.
    ///
    /// - Parameter folder: a folder of this process's own.
    /// - Throws: ``FlourishError/Code/outputUnavailable``.
    init(in folder: String) throws(FlourishError) {
        path = folder + "/preview-\(Self.count.add(1, ordering: .relaxed).newValue).mp4"
        let made = unsafe mkfifo(path, 0o600) == 0
        let descriptor = made ? unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1
        reader = Mutex(descriptor)
        keeper = Mutex(descriptor >= 0 ? unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1)
        guard keeper.withLock({ $0 >= 0 }) else {
            throw FlourishError(.outputUnavailable, "\(path): no pipe can be made there")
        }
        // From here on whoever reads waits.
        _ = fcntl(descriptor, F_SETFL, 0)
    }

    deinit {
        finish()
        abandon()
    }

    /// Says that the session has ended.
    func finish() { Self.close(keeper) }

    /// Says that nobody reads any more: a session that waits until there is room is told so.
    func abandon() {
        _ = unsafe unlink(path)
        Self.close(reader)
    }

    private static func close(_ held: borrowing Mutex<Int32>) {
        held.withLock { descriptor in
            if descriptor >= 0 { _ = Platform.close(descriptor) }
            descriptor = -1
        }
    }

    /// The next bytes; none at the end.
    func read() async -> ByteBuffer {
        await StageThread.run { [self] () throws(Never) in
            var buffer = ByteBufferAllocator().buffer(capacity: Self.piece)
            reader.withLock { descriptor in
                guard descriptor >= 0 else { return }
                _ = unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.piece) { bytes in
                    unsafe max(0, Platform.read(descriptor, bytes.baseAddress, Self.piece))
                }
            }
            return buffer
        }.get()
    }
}
