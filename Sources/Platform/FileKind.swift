/// What a path leads to: a plain file, a folder, a pipe, a device.
package enum FileKind {
    /// The kind as `st_mode` has it, symbolic links followed; nil where there is nothing.
    package static func of(_ path: String) -> mode_t? {
        var info = stat()
        return unsafe stat(path, &info) == 0 ? info.st_mode & S_IFMT : nil
    }

    /// How many bytes a plain file has; nil for what is none, symbolic links followed.
    ///
    /// Foundation's attributes are of other types where FoundationEssentials alone is linked in, as in the installed
    /// program.
    package static func size(of path: String) -> Int? {
        var info = stat()
        guard unsafe stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(info.st_size)
    }
}
