import Foundation

/// Small animated files.
enum AnimatedFiles {
    /// 16×8 pixels: red for 100 ms, green for 200 ms; without losses.
    static let webp = bytes(
        """
        UklGRoQAAABXRUJQVlA4WAoAAAACAAAADwAABwAAQU5JTQYAAAD/////AABBTk1GKAAAAAAAAAAAAA8AAAcAAGQAAAJWUDhMDwAAAC8PwAEABxD9\
        j/4HIqL/AQBBTk1GKAAAAAAAAAAAAA8AAAcAAMgAAABWUDhMDwAAAC8PwAEAB1DAiP4HIqL/AQA=
        """)
    /// 16×8 pixels of half transparent red, one frame; lossy, with a separate alpha channel.
    static let transparentWebP = bytes(
        """
        UklGRoYAAABXRUJQVlA4WAoAAAASAAAADwAABwAAQU5JTQYAAAAAAAAAAABBTk1GWgAAAAAAAAAAAA8AAAcAAGQAAAJBTFBICgAAAAEH0L+ICERE\
        /wNWUDggMAAAANABAJ0BKhAACAACADQloAJ0ugH4AAOwAP7w6Pf/ILlhdcjX/yA/5Af8gP/48gAAAA==
        """)

    private static func bytes(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64)!) }

    /// The colours of letters, by their numbers in a palette; the last is transparent.
    static let letters: [Character] = ["r", "g", "b", "w", "."]
    static let palette: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0]

    /// Returns rows of palette numbers from rows of letters that are separated by slashes.
    static func rows(_ picture: String) -> [[UInt8]] {
        picture.split(separator: "/").map { row in row.map { UInt8(letters.firstIndex(of: $0)!) } }
    }
}

/// Makes GIF files with a palette of five colours.
struct GIFMaker {
    struct Frame {
        var rows: [[UInt8]]
        var x, y, delay: Int
        var disposal: UInt8
        var isInterlaced: Bool

        init(
            _ picture: String, x: Int = 0, y: Int = 0, delay: Int, disposal: UInt8 = 0, isInterlaced: Bool = false
        ) {
            rows = AnimatedFiles.rows(picture)
            (self.x, self.y, self.delay) = (x, y, delay)
            (self.disposal, self.isInterlaced) = (disposal, isInterlaced)
        }
    }

    var width: Int
    var height: Int
    var frames: [Frame]

    var bytes: [UInt8] {
        let table = AnimatedFiles.palette + [UInt8](repeating: 0, count: 24 - AnimatedFiles.palette.count)
        var file = Array("GIF89a".utf8) + two(width) + two(height) + [0x80 | 2, 0, 0] + table
        for frame in frames {
            file += [0x21, 0xF9, 4, frame.disposal << 2 | 1] + two(frame.delay) + [4, 0]
            file += [0x2C] + two(frame.x) + two(frame.y) + two(frame.rows[0].count) + two(frame.rows.count)
            file += [frame.isInterlaced ? 0x40 : 0, 3]
            let data = codes(sequence(frame).flatMap { $0 })
            for start in stride(from: 0, to: data.count, by: 255) {
                let part = data[start..<min(start + 255, data.count)]
                file += [UInt8(part.count)] + part
            }
            file += [0]
        }
        return file + [0x3B]
    }

    private func sequence(_ frame: Frame) -> [[UInt8]] {
        guard frame.isInterlaced else { return frame.rows }
        return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { start, step in
            stride(from: start, to: frame.rows.count, by: step).map { frame.rows[$0] }
        }
    }

    /// Returns pixels of three bits as codes of four bits, with the table cleared before it needs longer codes.
    private func codes(_ pixels: [UInt8]) -> [UInt8] {
        var codes: [UInt8] = []
        for (index, pixel) in pixels.enumerated() { codes += (index % 4 == 0 ? [8] : []) + [pixel] }
        codes.append(9)
        return stride(from: 0, to: codes.count, by: 2).map {
            codes[$0] | ($0 + 1 < codes.count ? codes[$0 + 1] << 4 : 0)
        }
    }

    private func two(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
}

/// Makes animated PNG files with 32 bits a pixel.
struct APNGMaker {
    struct Frame {
        var rows: [[UInt8]]
        var x, y: Int
        var delay: (Int, Int)
        var disposal, blend: UInt8

        init(_ picture: String, x: Int = 0, y: Int = 0, delay: (Int, Int), disposal: UInt8 = 0, blend: UInt8 = 1) {
            rows = AnimatedFiles.rows(picture)
            (self.x, self.y, self.delay, self.disposal, self.blend) = (x, y, delay, disposal, blend)
        }
    }

    var width: Int
    var height: Int
    var frames: [Frame]
    /// The picture for programs without animation; the first frame if nil.
    var hidden: String?

    init(width: Int, height: Int, frames: [Frame], hidden: String? = nil) {
        (self.width, self.height, self.frames, self.hidden) = (width, height, frames, hidden)
    }

    var bytes: [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += chunk("IHDR", four(width) + four(height) + [8, 6, 0, 0, 0])
        file += chunk("acTL", four(frames.count) + four(0))
        if let hidden { file += chunk("IDAT", compressed(AnimatedFiles.rows(hidden))) }
        var number = 0
        for (index, frame) in frames.enumerated() {
            file += chunk(
                "fcTL",
                four(number) + four(frame.rows[0].count) + four(frame.rows.count) + four(frame.x) + four(frame.y)
                    + two(frame.delay.0) + two(frame.delay.1) + [frame.disposal, frame.blend])
            number += 1
            if index == 0, hidden == nil {
                file += chunk("IDAT", compressed(frame.rows))
            } else {
                file += chunk("fdAT", four(number) + compressed(frame.rows))
                number += 1
            }
        }
        return file + chunk("IEND", [])
    }

    /// Returns rows as a zlib stream with one stored block.
    private func compressed(_ rows: [[UInt8]]) -> [UInt8] {
        var pixels: [UInt8] = []
        for row in rows {
            pixels.append(0)
            for colour in row {
                pixels += AnimatedFiles.palette[Int(colour) * 3..<Int(colour) * 3 + 3]
                pixels.append(colour == 4 ? 0 : 255)
            }
        }
        let size = [UInt8(pixels.count & 255), UInt8(pixels.count >> 8)]
        var (a, b) = (1, 0)
        for byte in pixels { (a, b) = ((a + Int(byte)) % 65521, (b + (a + Int(byte)) % 65521) % 65521) }
        return [0x78, 1, 1] + size + size.map { ~$0 } + pixels + two(b) + two(a)
    }

    private func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(name.utf8) + data
        let sum = content.reduce(0xFFFF_FFFF as UInt32) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : 0xEDB8_8320 ^ value >> 1 }
        }
        return four(data.count) + content + four(Int(~sum))
    }

    private func four(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
    private func two(_ number: Int) -> [UInt8] { [UInt8(number >> 8 & 255), UInt8(number & 255)] }
}
