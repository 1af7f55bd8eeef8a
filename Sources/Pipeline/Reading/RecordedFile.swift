import FoundationEssentials
import MediaIO

/// What can be said of a recording's file without opening it.
package enum RecordedFile {
    /// Its size in bytes; `nil` for what is no plain file, and so cannot be read twice.
    package static func size(of input: String) -> Int? {
        guard let path = MediaAddress(input).filePath else { return nil }
        // A file that is not there is reported by whoever opens it.
        guard
            let attributes = try? FileManager.default.attributesOfItem(
                atPath: URL(filePath: path).resolvingSymlinksInPath().path)
        else { return 0 }
        guard attributes[.type] as? FileAttributeType == .typeRegular else { return nil }
        return attributes[.size] as? Int ?? (attributes[.size] as? UInt64).map(Int.init) ?? 0
    }

    /// Its name without its folders.
    package static func name(of input: String) -> Substring {
        input.lastIndex(of: "/").map { input[input.index(after: $0)...] } ?? input[...]
    }
}
