import Platform

/// Checks the references of a local HLS playlist before FFmpeg opens it.
///
/// A playlist of unknown origin must not make the program open network addresses, or files through protocols of FFmpeg
/// such as `concat:`. FFmpeg refuses such references (``MediaAddress/whitelist``), but continues without their parts of
/// the recording. This check names them instead.
enum PlaylistCheck {
    /// The maximum number of bytes that are read of a playlist: a day of segments of two seconds takes some 4 MB.
    private static let greatestSize = 16 << 20
    /// The maximum number of playlists that are read, since each can name others.
    private static let greatestCount = 64

    /// A reference of a playlist.
    struct Reference: Hashable {
        var text: String
        /// True if it names another playlist.
        var isPlaylist: Bool
    }

    /// Returns whether a file is a playlist.
    static func isPlaylist(_ file: OpenFile) -> Bool {
        let mark = Array("#EXTM3U".utf8)
        return file.read(at: 0, count: mark.count) == mark
    }

    /// - throws: ``MediaError`` of the code `refused` if the file is a playlist, and it or one of its variants refers to
    ///   anything but local files.
    static func check(_ file: String, _ path: String) throws(MediaError) {
        var waiting = [file]
        var seen: Set<String> = []
        while let next = waiting.popLast(), seen.count < greatestCount {
            guard seen.insert(next).inserted, let bytes = playlist(next) else { continue }
            for reference in references(in: bytes) {
                guard let local = localPath(of: reference.text, beside: next) else {
                    let place = next == file ? "it" : "its variant \(next)"
                    throw MediaError(
                        .refused, file: path,
                        "\(path): \(place) refers to \(shown(reference.text)), but a local playlist may refer to local files only; open the playlist by its network address, or download what it refers to"
                    )
                }
                if reference.isPlaylist { waiting.append(local) }
            }
        }
    }

    /// Returns the bytes of a playlist; nil if the file is none.
    private static func playlist(_ file: String) -> [UInt8]? {
        guard let size = FileKind.size(of: file), let opened = OpenFile(file), isPlaylist(opened) else { return nil }
        return opened.read(at: 0, count: min(size, greatestSize))
    }

    /// Returns the references that FFmpeg follows: the lines that are no comments, and the attribute `URI` of keys,
    /// initialization segments and renditions.
    static func references(in playlist: [UInt8]) -> [Reference] {
        var found: [Reference] = []
        var isVariant = false
        for line in playlist.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            if line.first != UInt8(ascii: "#") {
                let text = String(decoding: line, as: UTF8.self).filter { !$0.isWhitespace || $0 == " " }
                if text.contains(where: { $0 != " " }) { found.append(Reference(text: text, isPlaylist: isVariant)) }
                isVariant = false
            } else if line.starts(with: "#EXT-X-STREAM-INF:".utf8) {
                isVariant = true
            } else if let tag = tags.first(where: { line.starts(with: $0.utf8) }) {
                let text = String(decoding: line, as: UTF8.self)
                guard let start = text.firstRange(of: "URI=\"")?.upperBound else { continue }
                let value = text[start...].prefix { $0 != "\"" }
                if !value.isEmpty { found.append(Reference(text: String(value), isPlaylist: tag == renditionTag)) }
            }
        }
        return found
    }

    private static let renditionTag = "#EXT-X-MEDIA:"
    private static let tags = ["#EXT-X-KEY:", "#EXT-X-MAP:", renditionTag]

    /// Returns the path that a reference names; nil if it names a protocol.
    ///
    /// FFmpeg takes everything before a colon for a protocol if it consists of the characters of a scheme, and has one
    /// protocol with options before the colon, `subfile,`.
    static func localPath(of reference: String, beside playlist: String) -> String? {
        if reference.hasPrefix("subfile,") { return nil }
        let scheme = reference.utf8.prefix { byte in
            byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
                || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(byte)
        }
        var path = reference[...]
        if scheme.endIndex < reference.endIndex, reference[scheme.endIndex] == ":" {
            guard String(scheme) == "file" else { return nil }
            path = reference[reference.index(after: scheme.endIndex)...]
        }
        if path.hasPrefix("/") { return String(path) }
        let folder = playlist.lastIndex(of: "/").map { String(playlist[...$0]) } ?? ""
        return folder + path
    }

    /// Returns a reference in one line of limited length.
    private static func shown(_ reference: String) -> String {
        let line = reference.filter { character in character.unicodeScalars.allSatisfy { $0.value >= 0x20 } }
        return line.count > 200 ? line.prefix(200) + "…" : line
    }
}
