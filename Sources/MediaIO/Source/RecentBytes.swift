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
