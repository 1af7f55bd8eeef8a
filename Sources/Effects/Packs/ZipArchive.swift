import Platform

/// The files of a zip archive: stored or compressed with DEFLATE, without encryption.
///
/// PKWARE's APPNOTE, 4.3. Every number of the archive is checked before it is used, and no file is decompressed beyond
/// the size that the archive states for it.
struct ZipArchive {
    /// A file of the archive.
    struct Entry {
        let name: String
        /// The size of the decompressed file.
        let size: Int
        fileprivate let compressedSize: Int
        fileprivate let isCompressed: Bool
        fileprivate let checksum: UInt32
        fileprivate let offset: Int
    }

    /// A fault of the archive, in words for the user.
    struct Fault: Error {
        let message: String

        static let damaged = Fault(message: "the archive's directory is damaged; make the archive again")
    }

    let entries: [Entry]
    private let bytes: [UInt8]

    /// The maximum number of entries, including folders.
    static let greatestCount = 2000

    /// Returns whether bytes begin as a zip archive does.
    static func isZip(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x50, 0x4B, 3, 4]) }

    /// Reads the archive's directory.
    ///
    /// - Throws: ``Fault`` for a damaged archive, for links, and for encrypted or unsupported entries.
    init(_ bytes: [UInt8]) throws(Fault) {
        self.bytes = bytes
        guard let end = Self.endRecord(in: bytes) else { throw Fault(message: "not a zip archive, or cut off") }
        let count = try bytes.number(end + 10, 2), size = try bytes.number(end + 12, 4)
        var place = try bytes.number(end + 16, 4)
        guard try bytes.number(end + 4, 2) == 0, try bytes.number(end + 8, 2) == count, count != 0xFFFF,
            place != 0xFFFF_FFFF
        else { throw Fault(message: "the archive has several parts or is too large; make a plain zip archive") }
        guard count <= Self.greatestCount else {
            throw Fault(message: "the archive has \(count) entries; the limit is \(Self.greatestCount)")
        }
        guard place + size <= end else { throw .damaged }
        var entries: [Entry] = []
        for _ in 0..<count {
            guard try bytes.number(place, 4) == 0x0201_4B50 else { throw .damaged }
            let nameLength = try bytes.number(place + 28, 2)
            let next = place + 46 + nameLength + (try bytes.number(place + 30, 2)) + (try bytes.number(place + 32, 2))
            guard next <= end else { throw .damaged }
            if let entry = try Self.entry(bytes, at: place, nameLength: nameLength) { entries.append(entry) }
            place = next
        }
        self.entries = entries
        try checkPlaces()
    }

    /// Returns the decompressed bytes of a file.
    ///
    /// - Throws: ``Fault`` for damaged data, also if the file is longer than the archive states.
    func read(_ entry: Entry) throws(Fault) -> [UInt8] {
        let data = bytes[try range(of: entry)]
        let content = entry.isCompressed ? Zlib.inflated(data, limit: entry.size) : Array(data)
        if let content, content.count > entry.size {
            throw Fault(message: "\(entry.name) is longer than the archive states")
        }
        guard let content, content.count == entry.size, Zlib.checksum(of: content) == entry.checksum else {
            throw Fault(message: "\(entry.name) is damaged in the archive")
        }
        return content
    }

    /// Reads an entry of the directory; `nil` for a folder.
    private static func entry(_ bytes: [UInt8], at place: Int, nameLength: Int) throws(Fault) -> Entry? {
        guard let name = String(validating: bytes[place + 46..<place + 46 + nameLength], as: UTF8.self),
            !name.isEmpty, !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { throw Fault(message: "a name in the archive is not plain text") }
        let flags = try bytes.number(place + 8, 2), method = try bytes.number(place + 10, 2)
        // The upper half of the attributes is a mode of Unix if a Unix system wrote the entry.
        let mode = try bytes.number(place + 4, 2) >> 8 == 3 ? try bytes.number(place + 40, 2) : 0
        let kind = mode & 0xF000
        if kind == 0x4000 || name.hasSuffix("/") { return nil }
        guard kind == 0 || kind == 0x8000 else {
            throw Fault(message: "\(name) is a link or a special file; a pack contains plain files only")
        }
        guard flags & 1 == 0 else { throw Fault(message: "\(name) is encrypted; make the archive without a password") }
        guard method == 0 || method == 8 else {
            throw Fault(message: "\(name) is compressed with an unknown method; use deflate (zip's default)")
        }
        let entry = Entry(
            name: name, size: try bytes.number(place + 24, 4), compressedSize: try bytes.number(place + 20, 4),
            isCompressed: method == 8, checksum: UInt32(truncatingIfNeeded: try bytes.number(place + 16, 4)),
            offset: try bytes.number(place + 42, 4))
        guard entry.isCompressed || entry.size == entry.compressedSize else { throw .damaged }
        return entry
    }

    /// Returns the place of an entry's data, which follows a second header.
    private func range(of entry: Entry) throws(Fault) -> Range<Int> {
        let header = entry.offset
        guard try bytes.number(header, 4) == 0x0403_4B50 else { throw .damaged }
        let start = header + 30 + (try bytes.number(header + 26, 2)) + (try bytes.number(header + 28, 2))
        guard start + entry.compressedSize <= bytes.count else { throw .damaged }
        return start..<start + entry.compressedSize
    }

    /// Refuses entries that share data: a small archive could otherwise state any amount of it.
    private func checkPlaces() throws(Fault) {
        var end = 0
        for entry in entries.sorted(by: { $0.offset < $1.offset }) {
            let range = try range(of: entry)
            guard entry.offset >= end else { throw Fault(message: "files of the archive overlap") }
            end = range.upperBound
        }
    }

    /// Returns the place of the record at the archive's end, which a comment may follow.
    private static func endRecord(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 22 else { return nil }
        let last = bytes.count - 22
        for place in stride(from: last, through: max(0, last - 0xFFFF), by: -1)
        where bytes[place] == 0x50 && bytes.littleEndian(at: place, count: 4) == 0x0605_4B50 {
            return place
        }
        return nil
    }
}

extension [UInt8] {
    /// Returns a number of the archive, whose bytes have the least significant one first.
    fileprivate func number(_ place: Int, _ count: Int) throws(ZipArchive.Fault) -> Int {
        guard let number = littleEndian(at: place, count: count) else { throw .damaged }
        return number
    }
}
