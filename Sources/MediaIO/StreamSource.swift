internal import CFFmpeg

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Reads the standard input, a named pipe or a terminal on FFmpeg's behalf, which would wait for data, and for
/// somebody who opens the pipe's other end, where nothing can end it.
///
/// A descriptor that other programs share keeps its flags: made non-blocking, it would stay so for them.
///
/// `AVIOContext`
@safe
final class StreamSource: @unchecked Sendable {
    private let descriptor: Int32
    private let isOwned: Bool
    private let watch: IOWatch
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
        guard let buffer = unsafe av_malloc(Int(Self.bufferSize)),
            let io = unsafe avio_alloc_context(buffer, Self.bufferSize, 0, nil, readStream, nil, nil)
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
            let got = unsafe read(descriptor, buffer, count)
            if got > 0 { return Int32(got) }
            if got == 0 { return cffmpeg_error_eof }
            // Somebody else read it first.
            guard errno == EAGAIN || errno == EINTR else { return cffmpeg_averror(errno) }
        }
    }

    /// Whether the path leads to a pipe or a device that is read from front to back.
    private static func isStream(_ path: String) -> Bool {
        let kind = FileKind.of(path)
        return kind == S_IFIFO || kind == S_IFCHR
    }
}

/// For FFmpeg, which passes the source on.
private func readStream(_ opaque: UnsafeMutableRawPointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int32) -> Int32 {
    guard let opaque = unsafe opaque, let buffer = unsafe buffer else { return cffmpeg_averror(EINVAL) }
    let source = unsafe Unmanaged<StreamSource>.fromOpaque(opaque).takeUnretainedValue()
    return unsafe source.take(into: buffer, count: Int(count))
}
