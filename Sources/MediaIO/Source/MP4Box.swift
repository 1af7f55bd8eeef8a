import Platform

/// A box of MP4 in memory.
///
/// ISO/IEC 14496-12, 4.2
struct MP4Box {
    let name: String
    /// The offsets of the box's start and end, and of its content.
    let start: Int
    let end: Int
    var content: Int { start + 8 }

    /// Returns the consecutive boxes in a range of bytes; invalid data ends the list.
    static func all(of bytes: [UInt8], from start: Int, to end: Int) -> [MP4Box] {
        var boxes: [MP4Box] = [], place = start
        while place + 8 <= end {
            let size = Int(number(bytes, place))
            guard size >= 8, size <= end - place else { break }
            boxes.append(MP4Box(name: name(bytes, place + 4), start: place, end: place + size))
            place += size
        }
        return boxes
    }

    /// Returns the boxes inside this one.
    func boxes(of bytes: [UInt8]) -> [MP4Box] { Self.all(of: bytes, from: content, to: end) }

    /// Returns the first box at the end of a path of names, such as `mdia/minf`.
    func box(_ path: String, of bytes: [UInt8]) -> MP4Box? {
        path.split(separator: "/").reduce(self) { box, name in
            box?.boxes(of: bytes).first { $0.name == name }
        }
    }

    /// Returns a number of four bytes at an offset in the content; nil if the box is shorter.
    func number(_ offset: Int, of bytes: [UInt8]) -> UInt32? {
        content + offset + 4 <= end ? Self.number(bytes, content + offset) : nil
    }

    /// Returns a number of eight bytes at an offset in the content; nil if the box is shorter.
    func longNumber(_ offset: Int, of bytes: [UInt8]) -> UInt64? {
        content + offset + 8 <= end ? Self.longNumber(bytes, content + offset) : nil
    }

    /// - Precondition: All bytes of the number exist.
    static func number(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        guard let number = bytes.bigEndian(at: place, count: 4) else { preconditionFailure("a number is cut off") }
        return UInt32(number)
    }

    static func longNumber(_ bytes: [UInt8], _ place: Int) -> UInt64 {
        UInt64(number(bytes, place)) << 32 | UInt64(number(bytes, place + 4))
    }

    static func name(_ bytes: [UInt8], _ place: Int) -> String {
        String(decoding: bytes[place..<place + 4], as: UTF8.self)
    }
}

/// A box of MP4 in an open file. Only its header is read.
///
/// ISO/IEC 14496-12, 4.2
struct MP4FileBox: Sendable, Hashable {
    var name: String
    /// The range of the box in the file, in bytes, and the range of its content.
    var range: Range<Int64>
    var content: Range<Int64>
    /// True if its header states no size. The box then ends with its parent.
    var isOpenEnded = false

    /// The maximum number of consecutive boxes that are read.
    private static let limit = 100_000

    /// Returns the outermost boxes of a file, up to the first invalid one.
    ///
    /// - Parameter last: The name of the box after which to stop, since thousands of fragments may follow; nil to read
    ///   all.
    static func all(of descriptor: Int32, through last: String? = nil) -> [MP4FileBox] {
        let size = FileStamp(descriptor: descriptor).map { Int64($0.size) } ?? 0
        return all(in: 0..<size, of: descriptor, through: last)
    }

    /// Returns the consecutive boxes in a range of a file.
    static func all(in range: Range<Int64>, of descriptor: Int32, through last: String? = nil) -> [MP4FileBox] {
        var boxes: [MP4FileBox] = [], start = range.lowerBound
        while boxes.count < limit, start < range.upperBound, last == nil || boxes.last?.name != last {
            var bytes = [UInt8](repeating: 0, count: 16)
            guard unsafe pread(descriptor, &bytes, 16, off_t(start)) >= 8 else { break }
            let rest = range.upperBound - start, short = Int64(MP4Box.number(bytes, 0))
            let head: Int64 = short == 1 ? 16 : 8
            let size = short == 1 ? Int64(bitPattern: MP4Box.longNumber(bytes, 8)) : short == 0 ? rest : short
            guard size >= head, size <= rest else { break }
            let end = start + size
            boxes.append(
                MP4FileBox(
                    name: MP4Box.name(bytes, 4), range: start..<end, content: start + head..<end,
                    isOpenEnded: short == 0))
            start = end
        }
        return boxes
    }

    /// Returns the first box at the end of a path of names, such as `mdia/minf`.
    func box(_ path: String, of descriptor: Int32) -> MP4FileBox? {
        path.split(separator: "/").reduce(self) { box, name in
            box.flatMap { Self.all(in: $0.content, of: descriptor).first { $0.name == name } }
        }
    }

    /// Returns the tracks of a file with their ids.
    static func tracks(of descriptor: Int32) -> [(id: Int32, box: MP4FileBox)] {
        guard let movie = all(of: descriptor, through: "moov").last, movie.name == "moov" else { return [] }
        return all(in: movie.content, of: descriptor).compactMap { track in
            guard track.name == "trak", let header = track.box("tkhd", of: descriptor),
                let version = header.bytes(descriptor, count: 1)?.first,
                let number = header.bytes(descriptor, from: version == 1 ? 20 : 12, count: 4)
            else { return nil }
            return (Int32(truncatingIfNeeded: MP4Box.number(number, 0)), track)
        }
    }

    /// Returns the content, or a part of it; nil if the box is shorter.
    func bytes(_ descriptor: Int32, from offset: Int = 0, count: Int? = nil) -> [UInt8]? {
        let count = count ?? content.count - offset
        guard count >= 0, offset + count <= content.count else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe pread(descriptor, &bytes, count, off_t(content.lowerBound) + off_t(offset)) == count ? bytes : nil
    }
}
