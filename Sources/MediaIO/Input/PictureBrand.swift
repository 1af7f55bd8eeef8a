import Platform

/// Recognises pictures in the container of MP4 files: HEIC, HEIF and AVIF.
///
/// FFmpeg before 7.0 takes them for MP4 files without an index.
enum PictureBrand {
    /// The brands of single pictures and collections, and the names of their formats.
    ///
    /// ISO/IEC 23008-12, annexes B and E; AV1 Image File Format, section 6.
    private static let brands = [
        "heic": "HEIC", "heix": "HEIC", "heim": "HEIC", "heis": "HEIC", "mif1": "HEIF", "mif2": "HEIF", "miaf": "HEIF",
        "avif": "AVIF",
    ]

    /// Returns the name of the format of a file that is such a picture by its major brand; nil for other files.
    static func kind(of file: String) -> String? {
        guard let descriptor = try? RawFile.open(Array(file.utf8), O_RDONLY) else { return nil }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: 12)
        guard unsafe pread(descriptor, &head, head.count, 0) == head.count,
            head[4..<8].elementsEqual("ftyp".utf8)
        else { return nil }
        return brands[String(decoding: head[8...], as: UTF8.self)]
    }
}
