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
