internal import CFFmpeg
import Platform

/// The names of tracks in MP4 and QuickTime files, in the box `name` of a track's user data.
///
/// libavformat writes this box from a track's title, as OBS Studio and HandBrake do, but reads only the handler's name.
extension Demuxer {
    /// The largest length of a track's name, in bytes.
    private static let longestTrackName = 1024

    /// Sets the title of each stream without one to the name of its track.
    ///
    /// - Returns: FFmpeg's code, below 0 if there is no memory.
    @unsafe
    static func addTrackNames(to context: UnsafeMutablePointer<AVFormatContext>, file: OpenFile) -> Int32 {
        guard unsafe String(cString: context.pointee.iformat.pointee.name).hasPrefix("mov") else { return 0 }
        let names = trackNames(in: file.descriptor)
        for index in 0..<Int(unsafe context.pointee.nb_streams) {
            let stream = unsafe context.pointee.streams[index]!
            guard let name = names[unsafe stream.pointee.id] else { continue }
            let status = unsafe av_dict_set(&stream.pointee.metadata, "title", name, AV_DICT_DONT_OVERWRITE)
            if status < 0 { return status }
        }
        return 0
    }

    /// Returns the names by track id.
    private static func trackNames(in descriptor: Int32) -> [Int32: String] {
        var names: [Int32: String] = [:]
        for (id, track) in MP4FileBox.tracks(of: descriptor) {
            guard let box = track.box("udta/name", of: descriptor), 0 < box.content.count,
                box.content.count <= longestTrackName, let text = box.bytes(descriptor),
                let name = String(validating: text.prefix { $0 != 0 }, as: UTF8.self), !name.isEmpty
            else { continue }
            names[id] = name
        }
        return names
    }
}
