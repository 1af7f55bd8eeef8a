internal import CFFmpeg

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
