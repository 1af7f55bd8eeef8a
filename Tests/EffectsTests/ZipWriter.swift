import Foundation

/// Writes zip archives for tests, with any fault.
struct ZipWriter {
    struct Entry {
        var name: String
        /// The bytes in the archive.
        var data: [UInt8]
        var method = 0
        /// The size that the archive states.
        var size: Int
        var checksum: UInt32
        var flags = 0
        /// The mode of a Unix system.
        var mode = 0o100644
        /// The place of its data; after the entry before it by default.
        var offset: Int?
    }

    private(set) var entries: [Entry] = []

    mutating func add(_ name: String, _ content: [UInt8], change: (inout Entry) -> Void = { _ in }) {
        var entry = Entry(name: name, data: content, size: content.count, checksum: Self.checksum(of: content))
        change(&entry)
        entries.append(entry)
    }

    var bytes: [UInt8] {
        var (archive, directory) = ([UInt8](), [UInt8]())
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        for entry in entries {
            let name = Array(entry.name.utf8)
            let common =
                number(entry.flags, 2) + number(entry.method, 2) + number(0, 4) + number(Int(entry.checksum), 4)
                + number(entry.data.count, 4) + number(entry.size, 4) + number(name.count, 2) + number(0, 2)
            let offset = entry.offset ?? archive.count
            if entry.offset == nil {
                archive += [0x50, 0x4B, 3, 4] + number(20, 2) + common + name + entry.data
            }
            directory +=
                [0x50, 0x4B, 1, 2] + number(3 << 8 | 20, 2) + number(20, 2) + common + number(0, 6)
                + number(entry.mode << 16, 4) + number(offset, 4) + name
        }
        let end =
            [0x50, 0x4B, 5, 6] + number(0, 4) + number(entries.count, 2) + number(entries.count, 2)
            + number(directory.count, 4) + number(archive.count, 4) + number(0, 2)
        return archive + directory + end
    }

    static func checksum(of bytes: [UInt8]) -> UInt32 {
        var value = UInt32.max
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        return ~value
    }
}
