internal import CFFmpeg
import Platform

/// The names of tracks in files of MP4 and QuickTime, in the box `name` of a track's user data.
///
/// libavformat writes that box from a track's title, as OBS Studio and HandBrake do, but reads the handler's name only.
enum TrackNames {
    /// The longest name that is read.
    private static let limit = 1024
    /// Of how many boxes side by side the names are read.
    private static let boxLimit = 100_000
    private typealias Box = (name: String, content: Range<Int64>)

    /// Gives each stream without a title the name of its track.
    ///
    /// - Returns: FFmpeg's code, below 0 where there is no memory for them.
    @unsafe
    static func add(to context: UnsafeMutablePointer<AVFormatContext>, file: String) -> Int32 {
        guard unsafe String(cString: context.pointee.iformat.pointee.name).hasPrefix("mov"),
            let descriptor = try? RawFile.open(Array(file.utf8), O_RDONLY)
        else { return 0 }
        defer { close(descriptor) }
        let names = all(in: descriptor)
        for index in 0..<Int(unsafe context.pointee.nb_streams) {
            let stream = unsafe context.pointee.streams[index]!
            guard let name = names[unsafe stream.pointee.id] else { continue }
            let status = unsafe av_dict_set(&stream.pointee.metadata, "title", name, AV_DICT_DONT_OVERWRITE)
            if status < 0 { return status }
        }
        return 0
    }

    /// The names by the tracks' numbers.
    private static func all(in descriptor: Int32) -> [Int32: String] {
        guard let size = FileStamp(descriptor: descriptor).map({ Int64($0.size) }),
            let movie = boxes(in: 0..<size, descriptor, upTo: "moov").last, movie.name == "moov"
        else { return [:] }
        var names: [Int32: String] = [:]
        for track in boxes(in: movie.content, descriptor) where track.name == "trak" {
            let parts = boxes(in: track.content, descriptor)
            guard let header = parts.first(where: { $0.name == "tkhd" }),
                let user = parts.first(where: { $0.name == "udta" }),
                let box = boxes(in: user.content, descriptor).first(where: { $0.name == "name" }),
                let version = bytes(header.content.lowerBound, 1, descriptor)?.first,
                let number = bytes(header.content.lowerBound + (version == 1 ? 20 : 12), 4, descriptor),
                0 < box.content.count, box.content.count <= limit,
                let text = bytes(box.content.lowerBound, box.content.count, descriptor),
                let name = String(validating: text.prefix { $0 != 0 }, as: UTF8.self), !name.isEmpty
            else { continue }
            names[Int32(truncatingIfNeeded: MP4Box.number(number, 0))] = name
        }
        return names
    }

    /// The boxes one after the other in a part of the file, up to one of a name; what is no box ends them.
    private static func boxes(in range: Range<Int64>, _ descriptor: Int32, upTo last: String? = nil) -> [Box] {
        var boxes: [Box] = [], start = range.lowerBound
        while boxes.count < boxLimit, last == nil || boxes.last?.name != last, start + 8 <= range.upperBound,
            let header = bytes(start, 8, descriptor)
        {
            var size = Int64(MP4Box.number(header, 0)), length: Int64 = 8
            if size == 1, let long = bytes(start + 8, 8, descriptor) {
                (size, length) = (Int64(bitPattern: MP4Box.longNumber(long, 0)), 16)
            }
            if size == 0 { size = range.upperBound - start }
            guard size >= length, size <= range.upperBound - start else { break }
            boxes.append((MP4Box.name(header, 4), start + length..<start + size))
            start += size
        }
        return boxes
    }

    private static func bytes(_ place: Int64, _ count: Int, _ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return unsafe pread(descriptor, &bytes, count, off_t(place)) == count ? bytes : nil
    }
}
