import Platform

/// A box of MP4 in bytes that hold all of it.
///
/// ISO/IEC 14496-12, 4.2
struct MP4Box {
    let name: String
    /// Where it begins and ends, and where its content begins.
    let start: Int
    let end: Int
    var content: Int { start + 8 }

    /// The boxes one after the other in a part of the bytes; what is no box ends them.
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

    /// The boxes inside this one.
    func boxes(of bytes: [UInt8]) -> [MP4Box] { Self.all(of: bytes, from: content, to: end) }

    /// The first box at the end of a path of names, such as `mdia/minf`.
    func box(_ path: String, of bytes: [UInt8]) -> MP4Box? {
        path.split(separator: "/").reduce(self) { box, name in
            box?.boxes(of: bytes).first { $0.name == name }
        }
    }

    /// A number of four bytes, so many bytes behind the content's beginning; nil where the box is shorter.
    func number(_ offset: Int, of bytes: [UInt8]) -> UInt32? {
        content + offset + 4 <= end ? Self.number(bytes, content + offset) : nil
    }

    /// A number of eight bytes.
    func longNumber(_ offset: Int, of bytes: [UInt8]) -> UInt64? {
        content + offset + 8 <= end ? Self.longNumber(bytes, content + offset) : nil
    }

    static func number(_ bytes: [UInt8], _ place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func longNumber(_ bytes: [UInt8], _ place: Int) -> UInt64 {
        UInt64(number(bytes, place)) << 32 | UInt64(number(bytes, place + 4))
    }

    static func name(_ bytes: [UInt8], _ place: Int) -> String {
        String(decoding: bytes[place..<place + 4], as: UTF8.self)
    }

    /// A box of a file that is not in another one.
    struct TopLevel: Sendable, Hashable {
        var name: String
        /// Where it and its content lie in the file, in bytes.
        var range: Range<Int64>
        var content: Range<Int64>
    }

    /// Returns the boxes of an open file up to its end, or to what is no box.
    static func topLevel(of descriptor: Int32) -> [TopLevel] {
        let total = FileStamp(descriptor: descriptor).map { Int64($0.size) } ?? 0
        var boxes: [TopLevel] = [], start: Int64 = 0
        while start < total {
            var bytes = [UInt8](repeating: 0, count: 16)
            guard unsafe pread(descriptor, &bytes, 16, off_t(start)) >= 8 else { break }
            let short = Int64(number(bytes, 0)), isLong = short == 1
            let size = isLong ? Int64(bitPattern: longNumber(bytes, 8)) : short
            let head: Int64 = isLong ? 16 : 8
            guard size >= head, size <= total - start else { break }
            let end = start + size
            boxes.append(TopLevel(name: name(bytes, 4), range: start..<end, content: start + head..<end))
            start = end
        }
        return boxes
    }
}
