internal import CFFmpeg
import Platform

/// Reads the standard input, a named pipe or a terminal on FFmpeg's behalf, which would wait for data, and for
/// somebody who opens the pipe's other end, where nothing can end it. A file on the standard input is gone back in. Of a
/// connection that FFmpeg opened it reads what may be cut (``FragmentCut``).
///
/// A descriptor that other programs share keeps its flags: made non-blocking, it would stay so for them.
///
/// `AVIOContext`
@safe
final class StreamSource: @unchecked Sendable {
    private let origin: Origin
    private let watch: IOWatch
    /// Where the content begins in a regular file; nil where there is no going back.
    private let start: off_t?
    /// Counted from the start.
    private var position: off_t = 0
    /// Where it may be cut; nil where there is no need.
    private var cut: FragmentCut?
    /// What was read and must be seen before it is given, and what is given next.
    private var seen: [UInt8] = []
    private var given: ArraySlice<UInt8> = []
    /// The last bytes of an input without seeking, for a demuxer that looks back.
    private(set) var recent: RecentBytes?
    /// Whether the end came before anything else.
    private(set) var isEmpty = false
    /// What FFmpeg reads from; valid for as long as the source lives.
    private(set) var io: UnsafeMutablePointer<AVIOContext>

    /// Where the bytes come from.
    private enum Origin {
        case descriptor(Int32, isOwned: Bool)
        case connection(InputConnection)
    }

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
            return try StreamSource(.descriptor(STDIN_FILENO, isOwned: false), path, watch)
        case .file(let file) where isStream(file):
            // That does not wait for a writer: the first read does.
            let descriptor = unsafe open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { throw .reading(path, status: cffmpeg_averror(errno)) }
            return try StreamSource(.descriptor(descriptor, isOwned: true), path, watch)
        case .file, .network, .videoDevice, .unsupported:
            return nil
        }
    }

    /// The source for a connection in which there is no going back.
    ///
    /// - throws: ``MediaError`` of the code `internal`.
    convenience init(_ connection: InputConnection, _ path: String, _ watch: IOWatch) throws(MediaError) {
        try self.init(.connection(connection), path, watch)
    }

    private init(_ origin: Origin, _ path: String, _ watch: IOWatch) throws(MediaError) {
        self.origin = origin
        self.watch = watch
        start = if case .descriptor(let descriptor, _) = origin { Self.start(of: descriptor) } else { nil }
        guard let buffer = unsafe av_malloc(Int(Self.bufferSize)),
            let io = unsafe avio_alloc_context(
                buffer, Self.bufferSize, 0, nil, readStream, nil, start == nil ? nil : seekStream)
        else { throw .outOfMemory(path) }
        unsafe self.io = unsafe io
        // What can be gone back in needs all that is known of it.
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

    /// Whether the stream goes on behind the end that FFmpeg was told: see ``FragmentCut``.
    var isCut: Bool { cut?.step == .end }
    /// Whether it comes in fragments: nobody knows how many are to come.
    var isFragmented: Bool { cut?.hasFragments == true }

    /// What the times of a track lack since the stream was cut, in its ticks.
    func offset(ofTrack id: Int32) -> Int64 { UInt32(exactly: id).flatMap { cut?.offset(ofTrack: $0) } ?? 0 }

    /// Keeps no more of what was read.
    func forgetRecent() { recent = nil }

    /// Has what follows be read as a stream of its own, which begins with the header of the one before.
    func goOn() {
        guard isCut, let header = cut?.header else { return }
        given = (header + seen)[...]
        seen = []
        cut?.goOn()
        unsafe io.pointee.buf_ptr = unsafe io.pointee.buffer
        unsafe io.pointee.buf_end = unsafe io.pointee.buffer
        unsafe io.pointee.eof_reached = 0
        unsafe io.pointee.error = 0
        // Fragments may say where in the whole stream their samples are.
        unsafe io.pointee.pos = Int64(position) - Int64(given.count)
    }

    /// Gives what there is, once there is something.
    ///
    /// - Returns: the number of bytes, or FFmpeg's code for the end or an error.
    fileprivate func take(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> Int32 {
        if given.isEmpty, let failure = look() { return failure }
        if !given.isEmpty {
            let piece = given.prefix(count)
            for (place, byte) in piece.enumerated() { unsafe buffer[place] = byte }
            given = given.dropFirst(piece.count)
            return Int32(piece.count)
        }
        guard case .pass(let most)? = cut?.step else { return unsafe receive(into: buffer, count: count) }
        let got = unsafe receive(into: buffer, count: min(count, most))
        if got > 0 { cut?.pass(Int(got)) }
        return got
    }

    /// Reads what must be seen before it is given.
    ///
    /// - Returns: FFmpeg's code where there is nothing to give; nil where there is, or where nothing had to be seen.
    private func look() -> Int32? {
        while case .show(let count)? = cut?.step {
            while seen.count < count {
                var piece = [UInt8](repeating: 0, count: min(count - seen.count, Int(Self.bufferSize)))
                let most = piece.count
                let got = unsafe piece.withUnsafeMutableBufferPointer { buffer in
                    unsafe receive(into: buffer.baseAddress!, count: most)
                }
                if got == cffmpeg_error_eof {
                    cut = nil
                    break
                }
                if got < 0 { return got }
                seen += piece.prefix(Int(got))
            }
            cut?.show(seen)
            // Some boxes must be seen as a whole.
            guard case .show(let all)? = cut?.step, all > seen.count else { break }
        }
        if isCut { return cffmpeg_error_eof }
        if cut?.step == .never { cut = nil }
        given = seen[...]
        seen = []
        return nil
    }

    /// Reads what there is, once there is something.
    ///
    /// - Returns: the number of bytes, or FFmpeg's code for the end or an error.
    private func receive(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> Int32 {
        let got: Int32 =
            switch origin {
            case .descriptor(let descriptor, _): unsafe receive(from: descriptor, into: buffer, count: count)
            case .connection(let connection): unsafe connection.read(into: buffer, count: count)
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
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&entry, 1, Self.patience)
            if ready == 0 || ready < 0 && errno == EINTR { continue }
            // Others that share the descriptor keep their place in the file.
            let got =
                unsafe start.map { unsafe pread(descriptor, buffer, count, $0 + position) }
                ?? read(descriptor, buffer, count)
            if got == 0 { return cffmpeg_error_eof }
            if got > 0 { return Int32(got) }
            // Somebody else read it first.
            guard errno == EAGAIN || errno == EINTR else { return cffmpeg_averror(errno) }
        }
    }

    /// Goes to a place in the file, or tells its size, as FFmpeg asks.
    fileprivate func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        var info = stat()
        guard let start, case .descriptor(let descriptor, _) = origin, unsafe fstat(descriptor, &info) == 0 else {
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

/// The last bytes of a stream, for a look back at what FFmpeg has read already.
struct RecentBytes {
    private var bytes: [UInt8] = []
    /// The number of bytes so far.
    private var end: Int64 = 0

    /// At least so many are kept.
    private static let size = 4 << 20

    /// The place in the stream of the first byte that is kept.
    var start: Int64 { end - Int64(bytes.count) }

    mutating func append(_ new: UnsafeBufferPointer<UInt8>) {
        unsafe bytes.append(contentsOf: new)
        end += Int64(new.count)
        if bytes.count > Self.size * 2 { bytes.removeFirst(bytes.count - Self.size) }
    }

    /// - Returns: fewer bytes where the rest is not kept; none where the first is not.
    func read(at place: Int64, count: Int) -> [UInt8] {
        guard place >= start, place < end else { return [] }
        return Array(bytes[Int(place - start)...].prefix(count))
    }
}

/// A connection that FFmpeg opened for reading.
///
/// `AVIOContext`
@safe
final class InputConnection {
    private let io: UnsafeMutablePointer<AVIOContext>

    /// - Parameter io: what FFmpeg opened. It is closed with this.
    init(owned io: UnsafeMutablePointer<AVIOContext>) { unsafe self.io = unsafe io }

    deinit {
        var closing: UnsafeMutablePointer<AVIOContext>? = unsafe io
        unsafe avio_closep(&closing)
    }

    /// Reads what there is, once there is something.
    ///
    /// - Returns: the number of bytes, or FFmpeg's code for the end or an error.
    func read(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> Int32 {
        let got = unsafe avio_read_partial(io, buffer, Int32(clamping: count))
        return got == 0 ? cffmpeg_error_eof : got
    }

    /// Whether a connection brings MP4 in which nobody can go back, which may go on for ever. What comes first is seen for
    /// that, and stays to be read.
    ///
    /// It is asked before anything was read; FFmpeg waits for the first bytes then.
    static func bringsEndlessMP4(_ io: UnsafeMutablePointer<AVIOContext>) -> Bool {
        guard unsafe io.pointee.seekable & AVIO_SEEKABLE_NORMAL == 0 else { return false }
        var start = [UInt8](repeating: 0, count: 8)
        let got = unsafe avio_read_partial(io, &start, 8)
        // What was read just now is in the buffer still.
        guard got > 0, unsafe avio_seek(io, 0, SEEK_SET) == 0 else { return false }
        return got == 8 && ["ftyp", "moov"].contains(MP4Box.name(start, 4))
    }
}

/// Puts a ``StreamSource`` before a connection that may be cut, when FFmpeg opens it: only then it is known what comes.
///
/// What FFmpeg opens after that, such as the parts of a playlist, stays as it is: their own contexts hold what is read of them.
///
/// `AVFormatContext.io_open`
@safe
final class ConnectionHook {
    private let path: String
    private let watch: IOWatch
    /// What is read instead of the connection; nil where there was no need.
    private(set) var source: StreamSource?

    private typealias Open =
        @convention(c) (
            UnsafeMutablePointer<AVFormatContext>?, UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?,
            UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<OpaquePointer?>?
        ) -> Int32
    private let usual: Open?

    /// It must live until the context was opened.
    init(_ context: UnsafeMutablePointer<AVFormatContext>, _ path: String, _ watch: IOWatch) {
        self.path = path
        self.watch = watch
        unsafe usual = unsafe context.pointee.io_open
        unsafe context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        unsafe context.pointee.io_open = { context, io, url, flags, options in
            guard let context = unsafe context, let opaque = unsafe context.pointee.opaque else {
                return cffmpeg_averror(EINVAL)
            }
            let hook = unsafe Unmanaged<ConnectionHook>.fromOpaque(opaque).takeUnretainedValue()
            unsafe context.pointee.opaque = nil
            unsafe context.pointee.io_open = hook.usual
            guard let usual = unsafe hook.usual, let io = unsafe io else { return cffmpeg_averror(EINVAL) }
            let status = unsafe usual(context, io, url, flags, options)
            guard status >= 0, let opened = unsafe io.pointee else { return status }
            return unsafe hook.judge(opened, context, io)
        }
    }

    /// - Returns: FFmpeg's code.
    private func judge(
        _ opened: UnsafeMutablePointer<AVIOContext>, _ context: UnsafeMutablePointer<AVFormatContext>,
        _ io: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>
    ) -> Int32 {
        guard unsafe InputConnection.bringsEndlessMP4(opened) else { return 0 }
        let connection = unsafe InputConnection(owned: opened)
        unsafe io.pointee = nil
        guard let source = try? StreamSource(connection, path, watch) else { return cffmpeg_error_enomem }
        self.source = source
        unsafe io.pointee = unsafe source.io
        // FFmpeg does not close what is ours.
        unsafe context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        return 0
    }
}
