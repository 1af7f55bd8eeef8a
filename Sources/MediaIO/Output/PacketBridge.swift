internal import CFFmpeg

@safe @dynamicMemberLookup struct PacketFields {
    let pointer: UnsafeMutablePointer<AVPacket>
    @safe
    subscript<Value>(dynamicMember field: WritableKeyPath<AVPacket, Value>) -> Value {
        get { unsafe pointer.pointee[keyPath: field] }
        nonmutating set { unsafe pointer.pointee[keyPath: field] = newValue }
    }
}
extension Packet { var fields: PacketFields { unsafe PacketFields(pointer: av) } }
extension OutputContext {
    func write(_ packet: PacketFields) -> Int32 { unsafe av_interleaved_write_frame(pointer, packet.pointer) }
}
