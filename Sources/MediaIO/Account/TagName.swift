/// The names of tags.
enum TagName {
    /// Returns a name for comparisons: Matroska writes capitals, and MP4 appends languages.
    static func normalised(_ key: String) -> String {
        let name = key.lowercased()
        if name.hasPrefix("location-") { return "location" }
        // QuickTime has two lists of tags with different names, of which a file has one.
        switch name {
        case "com.apple.quicktime.location.iso6709": return "location"
        case "com.apple.quicktime.make": return "make"
        case "com.apple.quicktime.model": return "model"
        default: return name
        }
    }

    /// The tags that describe how a file was written, rather than its content. Their loss is not reported.
    private static let passing: Set<String> = [
        "major_brand", "minor_version", "compatible_brands", "encoder", "software", "duration", "metadatacreator",
        "hasvideo", "hasaudio", "hasmetadata", "haskeyframes", "canseektoend", "datasize", "videosize", "audiosize",
        "lasttimestamp", "lastkeyframetimestamp", "lastkeyframelocation", "service_name", "service_provider",
    ]
    private static let passingOfStreams: Set<String> = [
        "title", "handler_name", "language", "vendor_id", "rotate", "alpha_mode", "stereo_mode",
        "bps", "variant_bitrate", "source_id", "id3v2_priv", "filename", "mimetype", "reel_name",
    ]

    /// Returns whether a tag, by its normalised name, must be in the output.
    static func isLasting(_ key: String, ofStream: Bool) -> Bool {
        if passing.contains(key) || key.hasPrefix("encoder") { return false }
        guard ofStream else { return true }
        let prefixes = ["bps-", "duration-", "number_of_", "_statistics", "source_id-"]
        return !passingOfStreams.contains(key) && !prefixes.contains { key.hasPrefix($0) }
    }

    /// Returns a tag's value for comparisons; nil if containers write the value in forms of their own, such as places.
    static func comparable(_ value: String, of key: String) -> Substring? {
        switch key {
        case "location", "date", "com.apple.quicktime.creationdate": nil
        // MP4 stores seconds.
        case "creation_time": value.prefix(19)
        default: value.trimmingPrefix(while: \.isWhitespace)
        }
    }

    private static func value(_ key: String, _ tags: [String: String]) -> String? {
        (tags[key] ?? tags[key.uppercased()]).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the name that a user or a program gave a track: its title, or otherwise an unusual handler's name.
    static func trackName(_ tags: [String: String]) -> String? {
        if let title = value("title", tags) { return title }
        return value("handler_name", tags).flatMap { isUsualHandler($0) ? nil : $0 }
    }

    static func language(_ tags: [String: String]) -> String? {
        value("language", tags).flatMap { ["und", "unk"].contains($0) ? nil : $0 }
    }

    private static let usualHandlers = [
        "handle", "core media", "gopro", "iso media", "isomedia", "mainconcept", "camera motion metadata", "google",
        "ambarella", "dji.", "gpac",
    ]

    /// Returns whether a handler's name is one that programs and cameras write into every file.
    static func isUsualHandler(_ name: String) -> Bool {
        let text = name.lowercased()
        return usualHandlers.contains { text.contains($0) }
    }
}
