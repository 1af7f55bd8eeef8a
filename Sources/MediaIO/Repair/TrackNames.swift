internal import CFFmpeg
import Platform

/// The names of tracks in MP4 and QuickTime files, in the box `name` of a track's user data.
///
/// libavformat writes this box from a track's title, as OBS Studio and HandBrake do, but reads only the handler's name.
enum TrackNames {
    /// The largest length of a track's name, in bytes.
    private static let longest = 1024

    /// Sets the title of each stream without one to the name of its track.
    ///
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    static func add(to input: InputContext, file: OpenFile, path: String) throws(MediaError) {
        guard input.formatName.hasPrefix("mov") else { return }
        let names = names(in: file.descriptor)
        for stream in input.streams {
            guard let name = names[stream.id] else { continue }
            try MediaError.demandMemory(stream.setTag("title", name, AV_DICT_DONT_OVERWRITE), path)
        }
    }

    /// Returns the names by track id.
    private static func names(in descriptor: Int32) -> [Int32: String] {
        var names: [Int32: String] = [:]
        for (id, track) in MP4FileBox.tracks(of: descriptor) {
            guard let box = track.box("udta/name", of: descriptor), 0 < box.content.count,
                box.content.count <= longest, let text = box.bytes(descriptor),
                let name = String(validating: text.prefix { $0 != 0 }, as: UTF8.self), !name.isEmpty
            else { continue }
            names[id] = name
        }
        return names
    }
}
