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
}
