/// Integers in the formats of files and streams, which state their byte order.
extension RandomAccessCollection<UInt8> where Index == Int {
    /// Returns the unsigned integer at an index, most significant byte first; `nil` if the bytes end before it does.
    ///
    /// - Parameter count: The number of its bytes, at most 7.
    package func bigEndian(at place: Int, count: Int) -> Int? {
        guard place >= startIndex, count <= endIndex - place else { return nil }
        return self[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the unsigned integer at an index, least significant byte first; `nil` if the bytes end before it does.
    ///
    /// - Parameter count: The number of its bytes, at most 7.
    package func littleEndian(at place: Int, count: Int) -> Int? {
        guard place >= startIndex, count <= endIndex - place else { return nil }
        return self[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
