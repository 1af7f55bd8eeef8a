/// A kind of file that holds one picture.
package enum StillFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, webp, avif

    /// The kind that a file's name stands for; nil where it stands for none of them.
    package init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        switch name[name.index(after: dot)...].lowercased() {
        case "jpg", "jpeg": self = .jpeg
        case "png": self = .png
        case "webp": self = .webp
        case "avif": self = .avif
        default: return nil
        }
    }

    /// What files of the kind end with, without the dot.
    package var pathExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// Whether it can say that its picture has a high dynamic range, and has the bits for it.
    package var holdsHighDynamicRange: Bool { self == .avif }
}
