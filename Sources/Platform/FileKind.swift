/// What a path leads to: a plain file, a folder, a pipe, a device.
package enum FileKind {
    /// The kind as `st_mode` has it, symbolic links followed; nil where there is nothing.
    package static func of(_ path: String) -> mode_t? {
        var info = stat()
        return unsafe stat(path, &info) == 0 ? info.st_mode & S_IFMT : nil
    }
}
