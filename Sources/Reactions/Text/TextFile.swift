package import Platform

/// Writes whole text files.
package enum TextFile {
    /// Writes a text atomically.
    ///
    /// - Parameter overwrite: Whether an existing file is replaced.
    /// - Throws: ``FlourishError/Code/outputUnavailable``, ``FlourishError/Code/inputOutput``.
    package static func write(_ text: String, to path: String, overwrite: Bool) throws(FlourishError) {
        do {
            try TemporaryFile.write([UInt8](text.utf8), to: path, overwrite: overwrite)
        } catch {
            throw FlourishError(error)
        }
    }
}

extension FlourishError {
    /// Creates the error for a file that could not be written.
    package init(_ error: FileError) {
        let code: Code =
            switch error.code {
            case .unwritable: .outputUnavailable
            case .diskFull, .io: .inputOutput
            case .outOfMemory: .internal
            }
        self.init(code, error.description)
        isDiskFull = error.code == .diskFull
    }
}

/// Reads files that the user names: plans, markers, gestures.
package enum NamedFile {
    /// The size limit in bytes; the files are texts that people edit.
    package static let greatestSize = 64 << 20

    /// Reads a file or a pipe to its end. It stops one byte beyond ``greatestSize``, which shows that the file is too
    /// large.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - advice: The end of the error's message: the kind of file to give instead.
    /// - Throws: ``FlourishError/Code/inputUnavailable`` if it cannot be read.
    package static func read(_ path: String, advice: String) throws(FlourishError) -> [UInt8] {
        if let bytes = bytes(at: Array(path.utf8)) { return bytes }
        throw FlourishError(.inputUnavailable, "\(path): \(reason(path)); \(advice)")
    }

    /// Reads a file whose path need not be UTF-8; nil if it cannot be read.
    package static func bytes(at path: [UInt8]) -> [UInt8]? {
        guard let descriptor = try? RawFile.open(path, O_RDONLY) else { return nil }
        defer { close(descriptor) }
        return DescriptorInput.readAll(descriptor, limit: greatestSize)
    }

    private static func reason(_ path: String) -> String {
        guard let kind = FileKind.of(path) else { return "no such file" }
        if kind == S_IFDIR { return "is a folder" }
        return unsafe access(path, R_OK) == 0 ? "cannot be read" : "permission denied"
    }
}
