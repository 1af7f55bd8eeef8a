package import Platform

/// Whole files of text.
package enum TextFile {
    /// Writes all of a text, or nothing.
    ///
    /// - Parameter overwrite: whether a file of this name is replaced.
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
    /// An error of the files that are written.
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

/// Reads what a person named and another program or Flourish itself wrote: plans, markers, gestures.
package enum NamedFile {
    /// These are texts that people edit; what is larger is something else.
    package static let greatestSize = 64 << 20

    /// Reads a file or a pipe to its end, or a byte beyond ``greatestSize``.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - advice: which file to give instead.
    /// - Throws: ``FlourishError/Code/inputUnavailable`` where it cannot be read.
    package static func read(_ path: String, advice: String) throws(FlourishError) -> [UInt8] {
        if let bytes = bytes(at: Array(path.utf8)) { return bytes }
        throw FlourishError(.inputUnavailable, "\(path): \(reason(path)); \(advice)")
    }

    /// The same of a path that need not be UTF-8; nil where it cannot be read.
    package static func bytes(at path: [UInt8]) -> [UInt8]? {
        guard let descriptor = try? RawFile.open(path, O_RDONLY) else { return nil }
        defer { close(descriptor) }
        return DescriptorInput.readAll(descriptor, limit: greatestSize)
    }

    private static func reason(_ path: String) -> String {
        guard let kind = FileKind.of(path) else { return "there is no such file" }
        if kind == S_IFDIR { return "is a folder" }
        return unsafe access(path, R_OK) == 0 ? "cannot be read" : "may not be read"
    }
}
