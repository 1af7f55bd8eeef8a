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
    struct Fault: Error { let message: String }

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
        let count = Self.number(bytes, end + 10, 2), size = Self.number(bytes, end + 12, 4)
        var place = Self.number(bytes, end + 16, 4)
        guard Self.number(bytes, end + 4, 2) == 0, Self.number(bytes, end + 8, 2) == count, count != 0xFFFF,
            place != 0xFFFF_FFFF
        else { throw Fault(message: "the archive has several parts or is too large; make a plain zip archive") }
        guard count <= Self.greatestCount else {
            throw Fault(message: "the archive has \(count) entries; the limit is \(Self.greatestCount)")
        }
        guard place + size <= end else { throw Self.damaged }
        var entries: [Entry] = []
        for _ in 0..<count {
            guard place + 46 <= end, Self.number(bytes, place, 4) == 0x0201_4B50 else { throw Self.damaged }
            let lengths = [28, 30, 32].map { Self.number(bytes, place + $0, 2) }
            let next = place + 46 + lengths.reduce(0, +)
            guard next <= end else { throw Self.damaged }
            if let entry = try Self.entry(bytes, at: place, nameLength: lengths[0]) { entries.append(entry) }
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

    private static let damaged = Fault(message: "the archive's directory is damaged; make the archive again")

    /// Reads an entry of the directory; `nil` for a folder.
    private static func entry(_ bytes: [UInt8], at place: Int, nameLength: Int) throws(Fault) -> Entry? {
        guard let name = String(validating: bytes[place + 46..<place + 46 + nameLength], as: UTF8.self),
            !name.isEmpty, !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { throw Fault(message: "a name in the archive is not plain text") }
        let flags = number(bytes, place + 8, 2), method = number(bytes, place + 10, 2)
        // The upper half of the attributes is a mode of Unix if a Unix system wrote the entry.
        let mode = number(bytes, place + 4, 2) >> 8 == 3 ? number(bytes, place + 40, 2) : 0
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
            name: name, size: number(bytes, place + 24, 4), compressedSize: number(bytes, place + 20, 4),
            isCompressed: method == 8, checksum: UInt32(truncatingIfNeeded: number(bytes, place + 16, 4)),
            offset: number(bytes, place + 42, 4))
        guard entry.isCompressed || entry.size == entry.compressedSize else { throw damaged }
        return entry
    }

    /// Returns the place of an entry's data, which follows a second header.
    private func range(of entry: Entry) throws(Fault) -> Range<Int> {
        let header = entry.offset
        guard header + 30 <= bytes.count, Self.number(bytes, header, 4) == 0x0403_4B50 else { throw Self.damaged }
        let start = header + 30 + Self.number(bytes, header + 26, 2) + Self.number(bytes, header + 28, 2)
        guard start + entry.compressedSize <= bytes.count else { throw Self.damaged }
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
        where bytes[place] == 0x50 && number(bytes, place, 4) == 0x0605_4B50 {
            return place
        }
        return nil
    }

    /// Returns a number of up to four bytes, the least significant first.
    private static func number(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
        bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
