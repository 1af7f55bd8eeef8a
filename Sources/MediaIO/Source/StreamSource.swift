internal import CFFmpeg
import Platform

/// Reads the standard input, a named pipe or a terminal for FFmpeg. FFmpeg's own calls would block and could not be
/// interrupted. FFmpeg calls the source on the thread that uses the demuxer. If the standard input is a regular file,
/// FFmpeg can seek in it. The source also reads connections that FFmpeg has opened, if their streams may be cut
/// (``FragmentCut``), and regular files that several demuxers share (``OpenFile``).
///
/// A descriptor that is shared with other programs keeps its flags, because `O_NONBLOCK` would affect these programs,
/// too.
///
/// `AVIOContext`
@safe
final class StreamSource: @unchecked Sendable {
    private let origin: Origin
    private let watch: IOWatch
    /// The start of the content in a regular file; nil if the input cannot seek.
    private let start: off_t?
    /// The position, counted from the start.
    private var position: off_t = 0
    /// Finds the places to cut the stream; nil if it is not cut.
    private var cut: FragmentCut?
    /// The state of ``cut`` when FFmpeg's demuxer was restarted last; nil before.
    private var lastCut: FragmentCut?
    /// The bytes to inspect before they are passed on, and the bytes to pass on next.
    private var seen: [UInt8] = []
    private var given: ArraySlice<UInt8> = []
    /// The last bytes of an input without seeking, in which ``TransportJoints`` reads again; nil if not recorded.
    private(set) var recent: RecentBytes?
    /// True if the input ended without any data.
    private(set) var isEmpty = false
    /// The context from which FFmpeg reads; valid during the source's lifetime.
    private(set) var io: UnsafeMutablePointer<AVIOContext>

    /// The origin of the bytes.
    enum Origin {
        case descriptor(Int32, isOwned: Bool)
        /// A file that several demuxers share, each of which reads from its beginning.
        case file(OpenFile)
        /// A connection without seeking.
        case connection(InputConnection)

        /// The descriptor to read from; nil for a connection.
        var descriptor: Int32? {
            switch self {
            case .descriptor(let descriptor, _): descriptor
            case .file(let file): file.descriptor
            case .connection: nil
            }
        }
    }

    /// FFmpeg's own buffer size for pipes, in bytes.
    private static let bufferSize: Int32 = 65536
    /// The interval at which a waiting read checks for interruption, in milliseconds.
    private static let pollInterval: Int32 = 50

    /// Returns the source for an address; nil if FFmpeg opens it itself.
    ///
    /// - throws: ``MediaError`` of the codes `notFound`, `unreadable`, `io`, `internal`.
    static func reading(
        _ address: MediaAddress, _ path: String, _ watch: IOWatch
    ) throws(MediaError) -> StreamSource? {
        switch address {
        case .standardStream:
            return try StreamSource(.descriptor(STDIN_FILENO, isOwned: false), path, watch)
        case .file(let file) where isStream(file):
            // Opening does not wait for a writer, but the first read does.
            let descriptor = unsafe open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { throw .reading(path, status: cffmpeg_averror(errno)) }
            return try StreamSource(.descriptor(descriptor, isOwned: true), path, watch)
        case .file, .network, .videoDevice, .unsupported:
            return nil
        }
    }

    /// - throws: ``MediaError`` of the code `internal`.
    init(_ origin: Origin, _ path: String, _ watch: IOWatch) throws(MediaError) {
        self.origin = origin
        self.watch = watch
        start =
            switch origin {
            case .descriptor(let descriptor, _): Self.start(of: descriptor)
            case .file: 0
            case .connection: nil
            }
        guard let buffer = unsafe av_malloc(Int(Self.bufferSize)),
            let io = unsafe avio_alloc_context(
                buffer, Self.bufferSize, 0, nil, readStream, nil, start == nil ? nil : seekStream)
        else { throw .outOfMemory(path) }
        unsafe self.io = unsafe io
        // Seeking requires the demuxer's whole index, so inputs that can seek are not cut.
        cut = start == nil ? FragmentCut() : nil
        recent = start == nil ? RecentBytes() : nil
        unsafe io.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        unsafe av_free(io.pointee.buffer)
        var closing: UnsafeMutablePointer<AVIOContext>? = unsafe io
        unsafe avio_context_free(&closing)
        if case .descriptor(let descriptor, isOwned: true) = origin { close(descriptor) }
    }

    /// True for a regular file that was opened by its name.
    var isFile: Bool { if case .file = origin { true } else { false } }
    /// True if the stream continues after the end that was reported to FFmpeg: see ``FragmentCut``.
    var isCut: Bool { cut?.step == .end }
    /// True if the stream consists of fragments, whose number is unknown.
    var isFragmented: Bool { cut?.hasFragments == true }

    /// Returns the offset of a track's times since the stream was cut, in its ticks.
    func offset(ofTrack id: Int32) -> Int64 { UInt32(exactly: id).flatMap { lastCut?.offset(ofTrack: $0) } ?? 0 }

    /// Stops recording the last bytes in ``recent``.
    func forgetRecent() { recent = nil }

    /// Continues as a new stream, which begins with the header of the previous one.
    func restart() {
        guard isCut, let header = cut?.header else { return }
        given = (header + seen)[...]
        seen = []
        cut?.restart()
        lastCut = cut
        unsafe io.pointee.buf_ptr = unsafe io.pointee.buffer
        unsafe io.pointee.buf_end = unsafe io.pointee.buffer
        unsafe io.pointee.eof_reached = 0
        unsafe io.pointee.error = 0
        // Positions continue, since fragments may state their samples' positions in the whole stream.
        unsafe io.pointee.pos = Int64(position) - Int64(given.count)
    }

    /// Returns available bytes, and waits for some if there are none.
    ///
    /// - Returns: The number of bytes, or FFmpeg's code for the end or an error.
    fileprivate func provide(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> Int32 {
        if given.isEmpty, let failure = inspect() { return failure }
        if !given.isEmpty {
            let piece = given.prefix(count)
            for (place, byte) in piece.enumerated() { unsafe buffer[place] = byte }
            given = given.dropFirst(piece.count)
            return Int32(piece.count)
        }
        guard case .pass(let maximum)? = cut?.step else { return unsafe receive(into: buffer, count: count) }
        let got = unsafe receive(into: buffer, count: min(count, maximum))
        if got > 0 { cut?.pass(Int(got)) }
        return got
    }

    /// Reads the bytes to inspect before they are passed on.
    ///
    /// - Returns: FFmpeg's code if there is nothing to pass on; nil otherwise, or if no bytes had to be inspected.
    private func inspect() -> Int32? {
        while case .show(let count)? = cut?.step {
            while seen.count < count {
                var piece = [UInt8](repeating: 0, count: min(count - seen.count, Int(Self.bufferSize)))
                let maximum = piece.count
                let got = unsafe piece.withUnsafeMutableBufferPointer { buffer in
                    unsafe receive(into: buffer.baseAddress!, count: maximum)
                }
                if got == cffmpeg_error_eof {
                    cut = nil
                    break
                }
                if got < 0 { return got }
                seen += piece.prefix(Int(got))
            }
            cut?.show(seen)
            // Some boxes must be inspected as a whole.
            guard case .show(let all)? = cut?.step, all > seen.count else { break }
        }
        if isCut { return cffmpeg_error_eof }
        if cut?.step == .never { cut = nil }
        given = seen[...]
        seen = []
        return nil
    }

    /// Reads available bytes, and waits for some if there are none.
    ///
    /// - Returns: The number of bytes, or FFmpeg's code for the end or an error.
    private func receive(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> Int32 {
        let got: Int32 =
            switch origin {
            case .connection(let connection): unsafe connection.read(into: buffer, count: count)
            case .descriptor(let descriptor, _): unsafe receive(from: descriptor, into: buffer, count: count)
            case .file(let file): unsafe receive(from: file.descriptor, into: buffer, count: count)
            }
        if got == cffmpeg_error_eof, position == 0 { isEmpty = true }
        position += off_t(max(got, 0))
        if got > 0 { unsafe recent?.append(UnsafeBufferPointer(start: buffer, count: Int(got))) }
        return got
    }

    private func receive(
        from descriptor: Int32, into buffer: UnsafeMutablePointer<UInt8>, count: Int
    ) -> Int32 {
        while true {
            if watch.isAskedToEnd { return cffmpeg_error_exit }
            if start == nil {
                var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let ready = unsafe poll(&entry, 1, Self.pollInterval)
                if ready == 0 || ready < 0 && errno == EINTR { continue }
            }
            // `pread` does not move the file position, which other programs share.
            let got =
                unsafe start.map { unsafe pread(descriptor, buffer, count, $0 + position) }
                ?? read(descriptor, buffer, count)
            if got == 0 { return cffmpeg_error_eof }
            if got > 0 { return Int32(got) }
            // Another process read the data first.
            guard errno == EAGAIN || errno == EINTR else { return cffmpeg_averror(errno) }
        }
    }

    /// Seeks in the file, or returns its size, as FFmpeg requests.
    fileprivate func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        var info = stat()
        guard let start, let descriptor = origin.descriptor, unsafe fstat(descriptor, &info) == 0 else {
            return Int64(cffmpeg_averror(ESPIPE))
        }
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

    /// Returns the file position at which the program got a regular file; nil for other descriptors.
    private static func start(of descriptor: Int32) -> off_t? {
        var info = stat()
        guard unsafe fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        let place = lseek(descriptor, 0, SEEK_CUR)
        return place >= 0 ? place : nil
    }

    /// Returns whether the path leads to a pipe or a character device, which is read sequentially.
    private static func isStream(_ path: String) -> Bool {
        let kind = FileKind.of(path)
        return kind == S_IFIFO || kind == S_IFCHR
    }
}

/// FFmpeg's callback for reading; its opaque value is the source.
private func readStream(_ opaque: UnsafeMutableRawPointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int32)
    -> Int32
{
    guard let opaque = unsafe opaque, let buffer = unsafe buffer else { return cffmpeg_averror(EINVAL) }
    let source = unsafe Unmanaged<StreamSource>.fromOpaque(opaque).takeUnretainedValue()
    return unsafe source.provide(into: buffer, count: Int(count))
}

private func seekStream(_ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32) -> Int64 {
    guard let opaque = unsafe opaque else { return Int64(cffmpeg_averror(EINVAL)) }
    let source = unsafe Unmanaged<StreamSource>.fromOpaque(opaque).takeUnretainedValue()
    return source.seek(offset, whence)
}

/// The last bytes of a stream, so that bytes that FFmpeg has already consumed can be read again.
struct RecentBytes {
    private var bytes: [UInt8] = []
    /// The number of bytes so far.
    private var end: Int64 = 0

    /// The smallest number of bytes that are kept; up to twice as many are.
    private static let size = 4 << 20

    /// The position in the stream of the first buffered byte.
    var start: Int64 { end - Int64(bytes.count) }

    mutating func append(_ new: UnsafeBufferPointer<UInt8>) {
        unsafe bytes.append(contentsOf: new)
        end += Int64(new.count)
        if bytes.count > Self.size * 2 { bytes.removeFirst(bytes.count - Self.size) }
    }

    /// - Returns: Fewer bytes if the rest is not kept; no bytes if the first byte is not kept.
    func read(at place: Int64, count: Int) -> [UInt8] {
        guard place >= start, place < end else { return [] }
        return Array(bytes[Int(place - start)...].prefix(count))
    }
}
