internal import CFFmpeg

/// A coded part of a stream, freed with this value.
///
/// `AVPacket`
@safe @dynamicMemberLookup
struct PacketHandle: ~Copyable {
    let pointer: UnsafeMutablePointer<AVPacket>

    /// Creates an empty packet, for a demuxer or an encoder to fill.
    /// - throws: ``MediaError`` of the code `internal`.
    init(file: String = "") throws(MediaError) {
        guard let packet = unsafe av_packet_alloc() else { throw .outOfMemory(file) }
        unsafe pointer = unsafe packet
    }

    /// Returns a packet with a copy of bytes.
    /// - throws: ``MediaError`` of the code `internal`.
    static func holding(_ bytes: [UInt8]) throws(MediaError) -> PacketHandle {
        let packet = try PacketHandle()
        guard unsafe av_new_packet(packet.pointer, Int32(bytes.count)) >= 0 else { throw .outOfMemory("") }
        for i in bytes.indices { unsafe packet.pointer.pointee.data[i] = bytes[i] }
        return packet
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe av_packet_free(&packet)
    }

    /// Returns another packet that shares the data.
    func shared() throws(MediaError) -> PacketHandle {
        let copy = try PacketHandle()
        guard unsafe av_packet_ref(copy.pointer, pointer) >= 0 else { throw .outOfMemory("") }
        return copy
    }

    /// Copies everything but the bytes, such as times and side data, from another packet.
    /// - throws: ``MediaError`` of the code `internal`.
    func copyProperties(of other: borrowing PacketHandle) throws(MediaError) {
        try MediaError.demandMemory(unsafe av_packet_copy_props(pointer, other.pointer), "")
    }

    /// Drops the bytes and all properties.
    func clear() { unsafe av_packet_unref(pointer) }

    func removeSideData() { unsafe av_packet_free_side_data(pointer) }

    /// Converts the times and the duration to other ticks.
    func rescale(from timeBase: AVRational, to other: AVRational) {
        unsafe av_packet_rescale_ts(pointer, timeBase, other)
    }

    /// Lends the coded bytes to a closure.
    func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        let bytes = unsafe UnsafeBufferPointer(start: UnsafePointer(pointer.pointee.data), count: Int(self.size))
        return try unsafe body(bytes.span)
    }

    /// A copy of the coded bytes.
    var bytes: [UInt8] { unsafe Array(pointer.pointee.data, count: Int(self.size)) }

    /// The side data of a type; nil if there is none.
    func sideData(_ type: AVPacketSideDataType) -> [UInt8]? {
        var size = 0
        guard let data = unsafe av_packet_get_side_data(pointer, type, &size) else { return nil }
        return unsafe Array(data, count: size)
    }

    /// A field of the structure that is a plain value, under FFmpeg's name. Fields that are pointers stay unsafe.
    @safe
    subscript<Value>(dynamicMember field: WritableKeyPath<AVPacket, Value>) -> Value {
        get { unsafe pointer.pointee[keyPath: field] }
        nonmutating set { unsafe pointer.pointee[keyPath: field] = newValue }
    }
}
