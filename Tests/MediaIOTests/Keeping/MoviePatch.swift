import Foundation

/// Changes boxes of an MP4 or QuickTime file of which the movie box is the last, so that no sample moves.
struct MoviePatch {
    private(set) var bytes: [UInt8]

    init(_ file: URL) throws { bytes = [UInt8](try Data(contentsOf: file)) }

    func write(to file: URL) throws { try Data(bytes).write(to: file) }

    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        number(content.count + 8) + Array(name.utf8) + content
    }

    static func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) } }

    /// Appends a box to a track's sample entry.
    mutating func extendEntry(ofTrack track: Int, with box: [UInt8]) {
        insert(box, at: Self.entryPath(track))
    }

    /// Appends a box to a track.
    mutating func extend(track: Int, with box: [UInt8]) { insert(box, at: [("moov", 0), ("trak", track)]) }

    /// Makes a track one of data with another code.
    mutating func makeData(track: Int, code: String) {
        let entry = chain(Self.entryPath(track)).last!
        bytes.replaceSubrange(entry + 4..<entry + 8, with: code.utf8)
        let handler = chain([("moov", 0), ("trak", track), ("mdia", 0), ("hdlr", 0)]).last!
        bytes.replaceSubrange(handler + 16..<handler + 20, with: "meta".utf8)
    }

    /// Turns the pictures of a track by a quarter.
    mutating func turn(track: Int) {
        let header = chain([("moov", 0), ("trak", track), ("tkhd", 0)]).last!
        let matrix = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x4000_0000]
        bytes.replaceSubrange(header + 48..<header + 84, with: matrix.flatMap(Self.number))
    }

    private static func entryPath(_ track: Int) -> [(String, Int)] {
        [("moov", 0), ("trak", track), ("mdia", 0), ("minf", 0), ("stbl", 0), ("stsd", 0), ("", 0)]
    }

    private mutating func insert(_ box: [UInt8], at path: [(String, Int)]) {
        let places = chain(path), last = places.last!
        bytes.insert(contentsOf: box, at: last + size(last))
        for place in places {
            bytes.replaceSubrange(place..<place + 4, with: Self.number(size(place) + box.count))
        }
    }

    private func size(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }

    /// The offsets of the boxes along a path of names, each with the number of preceding boxes of the same name.
    private func chain(_ path: [(name: String, index: Int)]) -> [Int] {
        var places: [Int] = [], range = 0..<bytes.count
        for (name, index) in path {
            var place = range.lowerBound, left = index
            if places.last.map({ String(decoding: bytes[$0 + 4..<$0 + 8], as: UTF8.self) }) == "stsd" { place += 8 }
            while name != "", place < range.upperBound {
                let isNamed = String(decoding: bytes[place + 4..<place + 8], as: UTF8.self) == name
                if isNamed, left == 0 { break }
                if isNamed { left -= 1 }
                place += size(place)
            }
            precondition(place < range.upperBound, "no box \(name)")
            places.append(place)
            range = place + 8..<place + size(place)
        }
        return places
    }
}

/// Boxes that describe a track's pictures.
enum PictureBox {
    /// Dolby Vision 8.4, as phones write it.
    static let dolbyVision = MoviePatch.box("dvvC", [1, 0, 0x10, 0x25, 0x40] + [UInt8](repeating: 0, count: 19))
    /// Top and bottom.
    static let stereo = MoviePatch.box("st3d", [0, 0, 0, 0, 1])
    static let spherical = MoviePatch.box(
        "sv3d",
        MoviePatch.box("svhd", [0, 0, 0, 0] + Array("test".utf8) + [0])
            + MoviePatch.box(
                "proj",
                MoviePatch.box("prhd", [UInt8](repeating: 0, count: 16))
                    + MoviePatch.box("equi", [UInt8](repeating: 0, count: 20))))
    static let mastering = MoviePatch.box(
        "mdcv",
        [0x33, 0xC2, 0x86, 0xC4, 0x1D, 0x4C, 0x0B, 0xB8, 0x84, 0xD0, 0x3E, 0x80, 0x3D, 0x13, 0x40, 0x42]
            + [0, 0x98, 0x96, 0x80, 0, 0, 0, 0x32])
    static let light = MoviePatch.box("clli", [0x03, 0xE8, 0x01, 0x90])
    static let profile = MoviePatch.box("colr", Array("prof".utf8) + [UInt8](repeating: 7, count: 132))
}
