internal import CFFmpeg

/// An input that FFmpeg reads, closed with this object. Used by one thread at a time, except that others may read the
/// headers of its streams.
///
/// `AVFormatContext`
@safe @dynamicMemberLookup
final class InputContext {
    let pointer: UnsafeMutablePointer<AVFormatContext>
    /// The objects that FFmpeg calls until the input is closed.
    private let callees: [AnyObject]

    /// FFmpeg's code of an error.
    struct Failure: Error { let status: Int32 }

    /// Opens an input.
    ///
    /// - Parameters:
    ///   - format: The format; nil for detection.
    ///   - options: The options, of which those remain that the demuxer does not know.
    ///   - callees: The objects that FFmpeg calls until the input is closed.
    ///   - prepare: Configures the context before it is opened.
    ///
    /// `avformat_open_input`
    @unsafe
    init(
        url: String, format: UnsafePointer<AVInputFormat>?, options: OptionDictionary, callees: [AnyObject] = [],
        prepare: (UnsafeMutablePointer<AVFormatContext>) -> Void = { _ in }
    ) throws(Failure) {
        guard let fresh = unsafe avformat_alloc_context() else { throw Failure(status: cffmpeg_error_enomem) }
        unsafe prepare(fresh)
        // FFmpeg frees the context if it cannot open the input.
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe fresh
        let status = unsafe avformat_open_input(&context, url, format, &options.pointer)
        guard status >= 0, let opened = unsafe context else { throw Failure(status: status) }
        unsafe pointer = unsafe opened
        self.callees = callees
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe pointer
        unsafe avformat_close_input(&context)
    }

    /// FFmpeg's short name of the format.
    var formatName: String { unsafe String(cString: pointer.pointee.iformat.pointee.name) }
    var streamCount: Int { Int(self.nb_streams) }
    var streams: [StreamHandle] { (0..<streamCount).map(stream) }

    func stream(_ index: Int) -> StreamHandle {
        precondition(index < streamCount, "an input has no stream \(index)")
        return unsafe StreamHandle(pointer.pointee.streams[index]!, of: self)
    }

    /// Reads the next packet of any stream, with its stream's time base. It replaces the content of `packet`.
    ///
    /// - Returns: FFmpeg's code.
    ///
    /// `av_read_frame`
    func read(_ packet: borrowing PacketHandle) -> Int32 {
        let status = unsafe av_read_frame(pointer, packet.pointer)
        if status >= 0 { packet.time_base = stream(Int(packet.stream_index)).time_base }
        return status
    }

    /// Returns whether FFmpeg's demuxer has a property, such as `AVFMT_TS_DISCONT`.
    func hasFlag(_ flag: Int32) -> Bool { unsafe pointer.pointee.iformat.pointee.flags & flag != 0 }

    /// True if the input can seek, or if FFmpeg opened none itself.
    var canSeek: Bool {
        unsafe pointer.pointee.pb.map { unsafe $0.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0 } ?? true
    }

    /// True if all bytes were read.
    var hasReachedEnd: Bool { unsafe pointer.pointee.pb.map { unsafe $0.pointee.eof_reached != 0 } ?? false }

    /// True if reading has not failed, according to the bytes' source.
    var isSound: Bool { unsafe pointer.pointee.pb.map { unsafe $0.pointee.error >= 0 } ?? false }

    /// Seeks to the last key frame of a stream at or before a time, in its ticks.
    ///
    /// - Returns: False if the container cannot seek.
    func seek(_ stream: Int, to ticks: Int64) -> Bool {
        unsafe av_seek_frame(pointer, Int32(stream), ticks, AVSEEK_FLAG_BACKWARD) >= 0
    }

    /// A field of the structure that is a plain value, under FFmpeg's name. Fields that are pointers stay unsafe.
    @safe
    subscript<Value>(dynamicMember field: WritableKeyPath<AVFormatContext, Value>) -> Value {
        get { unsafe pointer.pointee[keyPath: field] }
        set { unsafe pointer.pointee[keyPath: field] = newValue }
    }
}

/// A stream of an input or an output, which it keeps open.
///
/// `AVStream`
@safe @dynamicMemberLookup
struct StreamHandle {
    let pointer: UnsafeMutablePointer<AVStream>
    private let context: AnyObject

    /// - Precondition: The stream belongs to the context.
    @unsafe
    init(_ pointer: UnsafeMutablePointer<AVStream>, of context: AnyObject) {
        unsafe self.pointer = unsafe pointer
        self.context = context
    }

    var parameters: StreamParameters { unsafe StreamParameters(pointer.pointee.codecpar, of: context) }

    /// A field of the structure that is a plain value, under FFmpeg's name. Fields that are pointers stay unsafe.
    @safe
    subscript<Value>(dynamicMember field: WritableKeyPath<AVStream, Value>) -> Value {
        get { unsafe pointer.pointee[keyPath: field] }
        nonmutating set { unsafe pointer.pointee[keyPath: field] = newValue }
    }
}

/// The parameters of a stream, whose owner they keep alive.
///
/// `AVCodecParameters`
@safe @dynamicMemberLookup
struct StreamParameters {
    let pointer: UnsafeMutablePointer<AVCodecParameters>
    private let owner: AnyObject

    /// - Precondition: The parameters exist as long as the owner.
    @unsafe
    init(_ pointer: UnsafeMutablePointer<AVCodecParameters>, of owner: AnyObject) {
        unsafe self.pointer = unsafe pointer
        self.owner = owner
    }

    var channelCount: Int32 { unsafe pointer.pointee.ch_layout.nb_channels }

    /// The codec's header, such as parameter sets.
    var header: [UInt8] { unsafe Array(pointer.pointee.extradata, count: Int(pointer.pointee.extradata_size)) }

    /// A field of the structure that is a plain value, under FFmpeg's name. Fields that are pointers stay unsafe.
    @safe
    subscript<Value>(dynamicMember field: WritableKeyPath<AVCodecParameters, Value>) -> Value {
        get { unsafe pointer.pointee[keyPath: field] }
        nonmutating set { unsafe pointer.pointee[keyPath: field] = newValue }
    }
}
