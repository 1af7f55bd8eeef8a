internal import CFFmpeg

/// A picture, or a block of sound, freed with this value. The memory of its samples is shared by reference count.
///
/// `AVFrame`
@safe @dynamicMemberLookup
struct FrameHandle: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFrame>

    /// Creates an empty frame, for a decoder to fill.
    /// - throws: ``MediaError`` of the code `internal`.
    init(file: String = "") throws(MediaError) {
        guard let frame = unsafe av_frame_alloc() else { throw .outOfMemory(file) }
        unsafe pointer = unsafe frame
    }

    /// Returns a frame of a size and format without memory for the samples.
    /// - throws: ``MediaError`` of the code `internal`.
    static func empty(width: Int, height: Int, format: AVPixelFormat) throws(MediaError) -> FrameHandle {
        let frame = try FrameHandle()
        frame.width = Int32(width)
        frame.height = Int32(height)
        frame.format = format.rawValue
        return frame
    }

    /// Returns a frame with its own memory, whose samples are undefined.
    /// - throws: ``MediaError`` of the code `internal`.
    static func allocated(width: Int, height: Int, format: AVPixelFormat) throws(MediaError) -> FrameHandle {
        let frame = try empty(width: width, height: height, format: format)
        guard unsafe av_frame_get_buffer(frame.pointer, 0) >= 0 else { throw .outOfMemory("") }
        return frame
    }

    /// Returns a block of sound in the form that an encoder accepts, whose samples are undefined.
    ///
    /// - Parameter count: The number of samples in each channel.
    /// - throws: ``MediaError`` of the code `internal`.
    static func sound(for encoder: borrowing CodecContext, count: Int, file: String = "") throws(MediaError)
        -> FrameHandle
    {
        let frame = try FrameHandle(file: file)
        frame.format = encoder.sample_fmt.rawValue
        frame.sample_rate = encoder.sample_rate
        frame.nb_samples = Int32(count)
        guard unsafe av_channel_layout_copy(&frame.pointer.pointee.ch_layout, &encoder.pointer.pointee.ch_layout) >= 0,
            unsafe av_frame_get_buffer(frame.pointer, 0) >= 0
        else { throw .outOfMemory(file) }
        return frame
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe pointer
        unsafe av_frame_free(&frame)
    }

    var pixelFormat: AVPixelFormat { AVPixelFormat(rawValue: self.format) }
    var channelCount: Int { unsafe Int(pointer.pointee.ch_layout.nb_channels) }
    var isKeyFrame: Bool { unsafe cffmpeg_frame_is_key(pointer) != 0 }
    var isInterlaced: Bool { unsafe cffmpeg_frame_is_interlaced(pointer) != 0 }
    /// True if the samples are not shared.
    var isWritable: Bool { unsafe av_frame_is_writable(pointer) > 0 }

    /// The duration in ticks; 0 if unknown.
    var duration: Int64 {
        get { unsafe cffmpeg_frame_duration(pointer) }
        nonmutating set { unsafe cffmpeg_frame_set_duration(pointer, newValue) }
    }

    /// Returns another frame that shares the samples.
    /// - throws: ``MediaError`` of the code `internal`.
    func shared() throws(MediaError) -> FrameHandle {
        let copy = try FrameHandle()
        guard unsafe av_frame_ref(copy.pointer, pointer) >= 0 else { throw .outOfMemory("") }
        return copy
    }

    /// Copies everything but the samples, such as times and colour tags, from another frame.
    /// - throws: ``MediaError`` of the code `internal`.
    func copyProperties(of other: borrowing FrameHandle) throws(MediaError) {
        try MediaError.demandMemory(unsafe av_frame_copy_props(pointer, other.pointer), "")
    }

    /// Copies the samples of another frame of the same format and size.
    ///
    /// - Returns: FFmpeg's code.
    @discardableResult
    func copySamples(of other: borrowing FrameHandle) -> Int32 { unsafe av_frame_copy(pointer, other.pointer) }

    /// Makes the frame show a part of its picture, without a copy.
    ///
    /// - Returns: FFmpeg's code.
    @discardableResult
    func crop(left: Int, top: Int, right: Int, bottom: Int) -> Int32 {
        self.crop_left = left
        self.crop_top = top
        self.crop_right = right
        self.crop_bottom = bottom
        return unsafe av_frame_apply_cropping(pointer, Int32(AV_FRAME_CROP_UNALIGNED))
    }

    /// The address of a plane's first row, or of a planar channel's samples.
    func plane(_ index: Int) -> UnsafeMutablePointer<UInt8>? { unsafe pointer.pointee.extended_data[index] }

    /// The distance of a plane's rows in bytes.
    func stride(_ plane: Int) -> Int {
        unsafe withUnsafeBytes(of: pointer.pointee.linesize) { lines in
            Int(unsafe lines.load(fromByteOffset: plane * MemoryLayout<Int32>.stride, as: Int32.self))
        }
    }

    /// Sets the address and stride of a plane.
    ///
    /// - Precondition: The memory exists as long as the frame and those that share its samples.
    @unsafe
    func setPlane(_ index: Int, address: UnsafeMutablePointer<UInt8>, stride: Int) {
        unsafe pointer.pointee.extended_data[index] = unsafe address
        unsafe withUnsafeMutableBytes(of: &pointer.pointee.linesize) { lines in
            unsafe lines.storeBytes(of: Int32(stride), toByteOffset: index * MemoryLayout<Int32>.stride, as: Int32.self)
        }
    }

    /// Returns the bytes of a row of the first plane, including FFmpeg's padding up to the stride.
    func row(_ y: Int) -> UnsafeMutableBufferPointer<UInt8> {
        unsafe UnsafeMutableBufferPointer(start: plane(0)! + y * stride(0), count: stride(0))
    }

    /// The types of the frame's side data.
    var sideDataTypes: [AVFrameSideDataType] {
        let count = Int(self.nb_side_data)
        return unsafe UnsafeBufferPointer(start: pointer.pointee.side_data, count: count).map {
            unsafe $0!.pointee.type
        }
    }

    /// The side data of a type; nil if there is none.
    func sideData(_ type: AVFrameSideDataType) -> [UInt8]? {
        guard let data = unsafe av_frame_get_side_data(pointer, type) else { return nil }
        return unsafe Array(data.pointee.data, count: Int(data.pointee.size))
    }

    /// Adds side data.
    /// - throws: ``MediaError`` of the code `internal`.
    func addSideData(_ type: AVFrameSideDataType, _ bytes: [UInt8], file: String = "") throws(MediaError) {
        guard let data = unsafe av_frame_new_side_data(pointer, type, bytes.count) else { throw .outOfMemory(file) }
        for i in bytes.indices { unsafe data.pointee.data[i] = bytes[i] }
    }

    func removeSideData(_ type: AVFrameSideDataType) { unsafe av_frame_remove_side_data(pointer, type) }

    /// A field of the structure that is a plain value, under FFmpeg's name. Fields that are pointers stay unsafe.
    @safe
    subscript<Value>(dynamicMember field: WritableKeyPath<AVFrame, Value>) -> Value {
        get { unsafe pointer.pointee[keyPath: field] }
        nonmutating set { unsafe pointer.pointee[keyPath: field] = newValue }
    }
}
