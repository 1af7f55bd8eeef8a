internal import CFFmpeg

/// An output that FFmpeg writes, closed with this object. Used by one thread at a time.
///
/// `AVFormatContext`
@safe @dynamicMemberLookup
final class OutputContext {
    let pointer: UnsafeMutablePointer<AVFormatContext>
    /// The objects that FFmpeg calls until the output is closed.
    private let callees: [AnyObject]

    /// Allocates an output; ``openFile(_:)`` opens it.
    ///
    /// - Parameters:
    ///   - format: FFmpeg's name of the muxer.
    ///   - callees: The objects that FFmpeg calls until the output is closed.
    /// - throws: ``MediaError`` from writing `file`.
    init(format: String, url: String, file: String, callees: [AnyObject] = []) throws(MediaError) {
        var context: UnsafeMutablePointer<AVFormatContext>? = nil
        let status = unsafe avformat_alloc_output_context2(&context, nil, format, url)
        guard status >= 0, let fresh = unsafe context else { throw .writing(file, status: status) }
        unsafe pointer = unsafe fresh
        self.callees = callees
    }

    deinit {
        closeFile()
        unsafe avformat_free_context(pointer)
    }

    /// True if the muxer opens its output itself.
    var opensItself: Bool { unsafe pointer.pointee.oformat.pointee.flags & AVFMT_NOFILE != 0 }

    /// Opens the file, pipe or connection, unless the muxer does that.
    ///
    /// - Returns: FFmpeg's code.
    func openFile(_ url: String) -> Int32 {
        if opensItself { return 0 }
        var callback = unsafe pointer.pointee.interrupt_callback
        return unsafe avio_open2(&pointer.pointee.pb, url, AVIO_FLAG_WRITE, &callback, nil)
    }

    /// Closes what ``openFile(_:)`` opened.
    ///
    /// - Returns: FFmpeg's code.
    @discardableResult
    func closeFile() -> Int32 { opensItself ? 0 : unsafe avio_closep(&pointer.pointee.pb) }

    var streamCount: Int { Int(self.nb_streams) }
    var streams: [StreamHandle] { (0..<streamCount).map(stream) }

    func stream(_ index: Int) -> StreamHandle {
        precondition(index < streamCount, "an output has no stream \(index)")
        return unsafe StreamHandle(pointer.pointee.streams[index]!, of: self)
    }

    /// Adds a stream.
    /// - throws: ``MediaError`` of the code `internal`.
    func addStream(file: String) throws(MediaError) -> StreamHandle {
        guard let stream = unsafe avformat_new_stream(pointer, nil) else { throw .outOfMemory(file) }
        return unsafe StreamHandle(stream, of: self)
    }

    /// Writes the header, with options of which those remain that the muxer does not know.
    ///
    /// - Returns: FFmpeg's code.
    func writeHeader(_ options: OptionDictionary) -> Int32 {
        unsafe avformat_write_header(pointer, &options.pointer)
    }

    /// Writes a packet, whose content it takes.
    ///
    /// - Returns: FFmpeg's code.
    func write(_ packet: borrowing PacketHandle) -> Int32 {
        unsafe av_interleaved_write_frame(pointer, packet.pointer)
    }

    /// Writes the packets that wait for packets of other streams.
    ///
    /// - Returns: FFmpeg's code.
    func writeWaiting() -> Int32 { unsafe av_interleaved_write_frame(pointer, nil) }

    func writeTrailer() -> Int32 { unsafe av_write_trailer(pointer) }

    /// A field of the structure that is a plain value, under FFmpeg's name. Fields that are pointers stay unsafe.
    @safe
    subscript<Value>(dynamicMember field: WritableKeyPath<AVFormatContext, Value>) -> Value {
        get { unsafe pointer.pointee[keyPath: field] }
        set { unsafe pointer.pointee[keyPath: field] = newValue }
    }
}
