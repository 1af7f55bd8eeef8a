/// The boxes of an MP4 file, to change them. Their sizes have 32 bits.
struct MovieBoxes {
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the boxes in a box, or those of the file.
    func boxes(in box: Range<Int>? = nil) -> [(name: String, range: Range<Int>)] {
        let range = box.map { $0.lowerBound + 8..<$0.upperBound } ?? 0..<bytes.count
        var found: [(String, Range<Int>)] = [], start = range.lowerBound
        while start + 8 <= range.upperBound {
            let end = start + number(start)
            found.append((String(decoding: bytes[start + 4..<start + 8], as: UTF8.self), start..<end))
            start = end
        }
        return found
    }

    /// Returns the first box at a path in a box, or in the file.
    func find(_ path: [String], in box: Range<Int>? = nil) throws -> Range<Int> {
        var found = box
        for name in path {
            guard let next = boxes(in: found).first(where: { $0.name == name })?.range else {
                throw MissingBox(name: name)
            }
            found = next
        }
        return found ?? 0..<bytes.count
    }

    /// Returns the numbers of 32 bits from a place on.
    func numbers(_ count: Int, at place: Int) -> [Int] { (0..<count).map { number(place + 4 * $0) } }

    func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }

    mutating func set(_ value: Int, at place: Int) {
        bytes.replaceSubrange(place..<place + 4, with: Self.fields(value))
    }

    /// Replaces a box, and changes the sizes of the boxes that contain it, given by their places.
    mutating func replace(_ box: Range<Int>, with new: [UInt8], inside places: [Int]) {
        bytes.replaceSubrange(box, with: new)
        for place in places { set(number(place) + new.count - box.count, at: place) }
    }

    static func fields(_ values: Int...) -> [UInt8] { fields(values) }

    static func fields(_ values: [Int]) -> [UInt8] {
        values.flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    }

    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        fields(content.count + 8) + Array(name.utf8) + content
    }
}

/// The error for a file without a box that a test changes.
private struct MissingBox: Error {
    let name: String
}
