internal import CFFmpeg
import Platform

/// A connection that FFmpeg opened for reading.
///
/// `AVIOContext`
@safe
final class InputConnection {
    private let io: UnsafeMutablePointer<AVIOContext>

    /// - Parameter io: The context that FFmpeg opened. It is closed when this object is released.
    init(owned io: UnsafeMutablePointer<AVIOContext>) { unsafe self.io = unsafe io }

    deinit {
        var closing: UnsafeMutablePointer<AVIOContext>? = unsafe io
        unsafe avio_closep(&closing)
    }

    /// Reads available bytes, and waits for some if there are none.
    ///
    /// - Returns: The number of bytes, or FFmpeg's code for the end or an error.
    func read(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> Int32 {
        let got = unsafe avio_read_partial(io, buffer, Int32(clamping: count))
        return got == 0 ? cffmpeg_error_eof : got
    }

    /// Returns whether a connection transfers MP4 without seeking, which may be endless. To find out, the first bytes
    /// are inspected; they can still be read.
    ///
    /// This function must be called before anything is read, and waits for the first bytes.
    static func bringsEndlessMP4(_ io: UnsafeMutablePointer<AVIOContext>) -> Bool {
        guard unsafe io.pointee.seekable & AVIO_SEEKABLE_NORMAL == 0 else { return false }
        var start = [UInt8](repeating: 0, count: 8)
        let got = unsafe avio_read_partial(io, &start, 8)
        // This seek succeeds, because the bytes that were just read are still in the buffer.
        guard got > 0, unsafe avio_seek(io, 0, SEEK_SET) == 0 else { return false }
        return got == 8 && ["ftyp", "moov"].contains(MP4Box.name(start, 4))
    }
}

/// Inserts a ``StreamSource`` between FFmpeg and a connection that may be cut. This is done when FFmpeg opens the
/// connection, since the format is not known earlier.
///
/// Connections that FFmpeg opens later, such as the parts of a playlist, are unchanged, since FFmpeg reads them through
/// contexts of their own.
///
/// `AVFormatContext.io_open`
@safe
final class ConnectionHook {
    private let path: String
    private let watch: IOWatch
    /// The source that reads the connection for FFmpeg; nil if FFmpeg reads the connection itself.
    private(set) var source: StreamSource?

    private typealias Open =
        @convention(c) (
            UnsafeMutablePointer<AVFormatContext>?, UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?,
            UnsafePointer<CChar>?, Int32, UnsafeMutablePointer<OpaquePointer?>?
        ) -> Int32
    private var usual: Open?

    init(_ path: String, _ watch: IOWatch) {
        self.path = path
        self.watch = watch
        unsafe usual = nil
    }

    /// Installs the hook, which must exist until the context is open.
    func install(in context: UnsafeMutablePointer<AVFormatContext>) {
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
            return unsafe hook.probe(opened, context, io)
        }
    }

    /// - Returns: FFmpeg's code.
    private func probe(
        _ opened: UnsafeMutablePointer<AVIOContext>, _ context: UnsafeMutablePointer<AVFormatContext>,
        _ io: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>
    ) -> Int32 {
        guard unsafe InputConnection.bringsEndlessMP4(opened) else { return 0 }
        let connection = unsafe InputConnection(owned: opened)
        unsafe io.pointee = nil
        guard let source = try? StreamSource(.connection(connection), path, watch) else { return cffmpeg_error_enomem }
        self.source = source
        unsafe io.pointee = unsafe source.io
        // FFmpeg does not close a custom context.
        unsafe context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        return 0
    }
}
