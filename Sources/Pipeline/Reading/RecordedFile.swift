import MediaIO
import Platform

/// What can be said of a recording's file without opening it.
package enum RecordedFile {
    /// Its size in bytes; `nil` for what is no plain file, and so cannot be read twice.
    package static func size(of input: String) -> Int? {
        guard let path = MediaAddress(input).filePath else { return nil }
        // A file that is not there is reported by whoever opens it.
        guard FileKind.of(path) != nil else { return 0 }
        return FileKind.size(of: path)
    }

    /// Its name without its folders.
    package static func name(of input: String) -> Substring {
        input.lastIndex(of: "/").map { input[input.index(after: $0)...] } ?? input[...]
    }
}
