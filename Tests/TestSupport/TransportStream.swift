package import Foundation

/// The packets of an MPEG transport stream as FFmpeg writes it: pictures are in the stream 0x100.
package struct TransportStream {
    package private(set) var data: Data
    private static let size = 188, video = 0x100

    package init(_ data: Data) { self.data = data }

    /// The positions of the packets of pictures, by the pictures' numbers in the order of decoding.
    private var pictures: [[Int]] {
        var found: [[Int]] = []
        for start in stride(from: 0, to: data.count - Self.size + 1, by: Self.size) {
            guard Int(data[start + 1] & 0x1F) << 8 | Int(data[start + 2]) == Self.video else { continue }
            if data[start + 1] & 0x40 != 0 { found.append([]) }
            found[found.count - 1].append(start)
        }
        return found
    }

    /// Moves the times of one picture.
    ///
    /// - Throws: where there is no such picture.
    package mutating func delay(picture number: Int, by seconds: Int) throws {
        let pictures = self.pictures
        guard pictures.indices.contains(number) else { throw CocoaError(.fileReadCorruptFile) }
        let start = pictures[number][0]
        let header = start + 4 + (data[start + 3] & 0x20 != 0 ? Int(data[start + 4]) + 1 : 0)
        for place in data[header + 7] & 0x40 != 0 ? [header + 9, header + 14] : [header + 9] {
            var time = UInt64(data[place] >> 1 & 7) << 30
            time |= UInt64(data[place + 1]) << 22 | UInt64(data[place + 2] >> 1) << 15
            time |= UInt64(data[place + 3]) << 7 | UInt64(data[place + 4] >> 1)
            time += UInt64(seconds * 90_000)
            data[place] = data[place] & 0xF1 | UInt8(time >> 30 & 7) << 1
            data[place + 1] = UInt8(truncatingIfNeeded: time >> 22)
            data[place + 2] = UInt8(truncatingIfNeeded: time >> 14) | 1
            data[place + 3] = UInt8(truncatingIfNeeded: time >> 7)
            data[place + 4] = UInt8(truncatingIfNeeded: time << 1) | 1
        }
    }

    /// Removes packets of a picture.
    ///
    /// - Parameters:
    ///   - number: in the order of decoding; from the end if it is negative.
    ///   - packets: the indices of its packets.
    /// - Throws: if there are no such packets.
    package mutating func remove(_ packets: Range<Int>, ofPicture number: Int) throws {
        let pictures = self.pictures
        let index = number < 0 ? pictures.count + number : number
        guard pictures.indices.contains(index), packets.upperBound <= pictures[index].count else {
            throw CocoaError(.fileReadCorruptFile)
        }
        for start in pictures[index][packets].reversed() { data.removeSubrange(start..<start + Self.size) }
    }
}
