package import Reactions
import Platform

import MediaIO

/// What can be said of an output before anything is read.
package enum OutputCheck {
    /// Refuses an output that would destroy something.
    ///
    /// - Throws: ``FlourishError/Code/usage`` where input and output are one file,
    ///   ``FlourishError/Code/outputUnavailable`` where the output exists or is a folder.
    package static func check(_ output: String, input: String, overwrite: Bool) throws(FlourishError) {
        // What goes into a pipe, a device or the network replaces nothing.
        guard let file = MediaAddress(output).filePath, !TemporaryFile.isSpecial(file),
            let existing = identity(of: file)
        else { return }
        if existing.isDirectory {
            throw FlourishError(
                .outputUnavailable, "\(output): is a folder; name the file to write in it")
        }
        if let source = MediaAddress(input).filePath.flatMap(identity), source.device == existing.device,
            source.node == existing.node
        {
            throw FlourishError(
                .usage, "\(output): input and output are the same file; choose another output")
        }
        guard overwrite else {
            throw FlourishError(
                .outputUnavailable, "\(output): exists already", remedy: .overwriting)
        }
    }

    /// Whether there is something of this name.
    package static func exists(_ path: String) -> Bool { identity(of: path) != nil }

    /// Refuses a file beside the video that would destroy, or be destroyed by, another file of the run.
    ///
    /// - Parameters:
    ///   - path: `nil` and `-` are no file.
    ///   - option: where it was given, such as `--events`.
    ///   - others: the videos that are read and written, and what else is written; `nil` and `-` are no files.
    /// - Throws: ``FlourishError/Code/usage``.
    package static func check(_ path: String?, of option: String, apartFrom others: [String?]) throws(FlourishError) {
        guard let path, path != "-" else { return }
        for case let other? in others where other != "-" {
            guard place(of: path) == place(of: other) else { continue }
            throw FlourishError(.usage, "\(path): is another file of this run; choose another \(option) path")
        }
    }

    /// Refuses what cannot be replaced: a pipe, a device or a folder.
    ///
    /// - Throws: ``FlourishError/Code/usage``.
    package static func checkIsPlain(_ path: String, of option: String) throws(FlourishError) {
        guard TemporaryFile.isSpecial(path) || TemporaryFile.isFolder(path) else { return }
        throw FlourishError(.usage, "\(path): is no plain file; choose another \(option) path")
    }

    /// Where a path leads, however it is spelled: the file itself, or its name in the folder where it would be.
    private static func place(of path: String) -> [String] {
        if let file = identity(of: path) { return ["\(file.device)", "\(file.node)"] }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { path[...$0] } ?? "."
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        return (identity(of: String(folder)).map { ["\($0.device)", "\($0.node)"] } ?? [String(folder)]) + [
            String(name)
        ]
    }

    private struct Identity: Equatable {
        var device: UInt64
        var node: UInt64
        var isDirectory: Bool
    }

    /// Which file a path leads to; `nil` where there is none.
    private static func identity(of path: String) -> Identity? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return Identity(
            device: UInt64(status.st_dev), node: UInt64(status.st_ino),
            isDirectory: status.st_mode & S_IFMT == S_IFDIR)
    }
}
