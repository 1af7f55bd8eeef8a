internal import CFFmpeg
import Platform

/// Reads the standard input, a named pipe or a terminal on FFmpeg's behalf, which would wait for data, and for
/// somebody who opens the pipe's other end, where nothing can end it. A file on the standard input is gone back in.
///
/// A descriptor that other programs share keeps its flags: made non-blocking, it would stay so for them.
///
/// `AVIOContext`
@safe
final class StreamSource: @unchecked Sendable {
    private let descriptor: Int32
    private let isOwned: Bool
    private let watch: IOWatch
    /// Where the content begins in a regular file; nil where there is no going back.
    private let start: off_t?
    /// Counted from the start.
    private var position: off_t = 0
    /// Whether the end came before anything else.
    private(set) var isEmpty = false
    /// What FFmpeg reads from; valid for as long as the source lives.
    private(set) var io: UnsafeMutablePointer<AVIOContext>

    /// What FFmpeg itself reads a pipe by, in bytes.
    private static let bufferSize: Int32 = 65536
    /// How often somebody who waits is asked whether to go on, in milliseconds.
    private static let patience: Int32 = 50

    /// The source for an address; nil where FFmpeg opens it by itself.
    ///
    /// - throws: ``MediaError`` of the codes `notFound`, `unreadable`, `io`, `internal`.
    static func reading(
        _ address: MediaAddress, _ path: String, _ watch: IOWatch
    ) throws(MediaError) -> StreamSource? {
        switch address {
        case .standardStream:
            return try StreamSource(STDIN_FILENO, isOwned: false, path, watch)
        case .file(let file) where isStream(file):
            // That does not wait for a writer: the first read does.
            let descriptor = unsafe open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { throw .reading(path, status: cffmpeg_averror(errno)) }
            return try StreamSource(descriptor, isOwned: true, path, watch)
        case .file, .network, .videoDevice, .unsupported:
            return nil
        }
    }

    private init(_ descriptor: Int32, isOwned: Bool, _ path: String, _ watch: IOWatch) throws(MediaError) {
        self.descriptor = descriptor
        self.isOwned = isOwned
        self.watch = watch
        start = Self.start(of: descriptor)
        guard let buffer = unsafe av_malloc(Int(Self.bufferSize)),
            let io = unsafe avio_alloc_context(
                buffer, Self.bufferSize, 0, nil, readStream, nil, start == nil ? nil : seekStream)
        else { throw .outOfMemory(path) }
        unsafe self.io = unsafe io
        unsafe io.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        unsafe av_free(io.pointee.buffer)
        var closing: UnsafeMutablePointer<AVIOContext>? = unsafe io
        unsafe avio_context_free(&closing)
        if isOwned { close(descriptor) }
    }

    /// Reads what there is, once there is something.
    ///
    /// - Returns: the number of bytes, or FFmpeg's code for the end or an error.
    fileprivate func take(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> Int32 {
        while true {
            if watch.isAskedToEnd { return cffmpeg_error_exit }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&entry, 1, Self.patience)
            if ready == 0 || ready < 0 && errno == EINTR { continue }
            // Others that share the descriptor keep their place in the file.
            let got =
                unsafe start.map { unsafe pread(descriptor, buffer, count, $0 + position) }
                ?? read(descriptor, buffer, count)
            if got == 0, position == 0 { isEmpty = true }
            if got == 0 { return cffmpeg_error_eof }
            position += max(off_t(got), 0)
            if got > 0 { return Int32(got) }
            // Somebody else read it first.
            guard errno == EAGAIN || errno == EINTR else { return cffmpeg_averror(errno) }
        }
    }

    /// Goes to a place in the file, or tells its size, as FFmpeg asks.
    fileprivate func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        var info = stat()
        guard let start, unsafe fstat(descriptor, &info) == 0 else { return Int64(cffmpeg_averror(ESPIPE)) }
        let size = max(info.st_size - start, 0)
        let place: Int64
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return Int64(size)
        case SEEK_SET: place = offset
        case SEEK_CUR: place = Int64(position) + offset
        case SEEK_END: place = Int64(size) + offset
        default: return Int64(cffmpeg_averror(EINVAL))
        }
        guard place >= 0 else { return Int64(cffmpeg_averror(EINVAL)) }
        position = off_t(place)
        return place
    }

    /// Where a regular file was left by whoever handed it over.
    private static func start(of descriptor: Int32) -> off_t? {
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        let place = lseek(descriptor, 0, SEEK_CUR)
        return place >= 0 ? place : nil
    }

    /// Whether the path leads to a pipe or a device that is read from front to back.
    private static func isStream(_ path: String) -> Bool {
        let kind = FileKind.of(path)
        return kind == S_IFIFO || kind == S_IFCHR
    }
}

/// For FFmpeg, which passes the source on.
private func readStream(_ opaque: UnsafeMutableRawPointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int32)
    -> Int32
{
    guard let opaque = unsafe opaque, let buffer = unsafe buffer else { return cffmpeg_averror(EINVAL) }
    let source = unsafe Unmanaged<StreamSource>.fromOpaque(opaque).takeUnretainedValue()
    return unsafe source.take(into: buffer, count: Int(count))
}

private func seekStream(_ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32) -> Int64 {
    guard let opaque = unsafe opaque else { return Int64(cffmpeg_averror(EINVAL)) }
    let source = unsafe Unmanaged<StreamSource>.fromOpaque(opaque).takeUnretainedValue()
    return source.seek(offset, whence)
}
