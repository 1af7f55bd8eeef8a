import MediaIO
import Platform
package import Reactions

/// Checks of an output before anything is read. They only query the file system, and change nothing.
package enum OutputCheck {
    /// Refuses an output that would destroy data, or that cannot be written.
    ///
    /// - Throws: ``FlourishError/Code/usage`` if input and output are one file,
    ///   ``FlourishError/Code/outputUnavailable`` if the output exists or is a folder, or if its folder is missing or
    ///   not writable.
    package static func check(_ output: String, input: String, overwrite: Bool) throws(FlourishError) {
        let source = input == "-" ? identity(of: STDIN_FILENO) : MediaAddress(input).filePath.flatMap(identity)
        // The shell has opened the file for overwriting or appending, so reading and writing it at once would destroy
        // data.
        if output == "-", let source, source == identity(of: STDOUT_FILENO) { throw sameFile(output) }
        // Output to a pipe, a device or the network does not replace a file.
        guard let file = MediaAddress(output).filePath, !TemporaryFile.isSpecial(file) else { return }
        if let existing = identity(of: file) {
            if existing.isDirectory {
                throw FlourishError(
                    .outputUnavailable, "\(output): is a folder; name a file in it")
            }
            if source == existing { throw sameFile(output) }
            guard overwrite else {
                throw FlourishError(
                    .outputUnavailable, "\(output): exists already", remedy: .overwriting)
            }
        }
        do throws(FileError) { try TemporaryFile.checkFolder(of: file) } catch { throw FlourishError(error) }
    }

    /// Refuses an output if no container supports it.
    ///
    /// - Throws: ``FlourishError/Code/usage``.
    package static func checkContainer(of output: String, _ configuration: Configuration) throws(FlourishError) {
        do { _ = try ContainerFormat.chosen(configuration, path: output) } catch {
            throw FlourishError(describing: error)
        }
    }

    private static func sameFile(_ output: String) -> FlourishError {
        FlourishError(.usage, "\(output): input and output are the same file; choose another output")
    }

    /// Returns whether a file of this name exists.
    package static func exists(_ path: String) -> Bool { identity(of: path) != nil }

    /// Refuses an additional file that would overwrite another file of the run, or be overwritten by it.
    ///
    /// - Parameters:
    ///   - path: The path. `-` denotes the file to which the standard output is redirected, if any; `nil` means no
    ///     file.
    ///   - option: The option that names the file, such as `--events`.
    ///   - others: The videos that are read and written, and all other files that are written. `-` denotes the files to
    ///     which the standard streams are redirected, if any; `nil` means no file.
    /// - Throws: ``FlourishError/Code/usage``.
    package static func check(_ path: String?, of option: String, apartFrom others: [String?]) throws(FlourishError) {
        guard let path, let place = path == "-" ? identity(of: STDOUT_FILENO)?.place : place(of: path) else { return }
        // If the caller has opened a descriptor for the output, the output is appended to its file. The standard output
        // may then go to the same file.
        let isOpen = DescriptorOutput.descriptor(named: path) != nil
        let descriptors = isOpen ? [STDIN_FILENO] : [STDIN_FILENO, STDOUT_FILENO]
        for case let other? in others {
            let places = other == "-" ? descriptors.compactMap(identity).map(\.place) : [Self.place(of: other)]
            guard places.contains(place) else { continue }
            throw FlourishError(.usage, "\(path): is already used by this run; choose another \(option) path")
        }
    }

    /// Refuses a path that cannot be replaced: a pipe, a device or a folder.
    ///
    /// - Throws: ``FlourishError/Code/usage``.
    package static func checkIsPlain(_ path: String, of option: String) throws(FlourishError) {
        guard TemporaryFile.isSpecial(path) || TemporaryFile.isFolder(path) else { return }
        throw FlourishError(.usage, "\(path): is not a regular file; choose another \(option) path")
    }

    /// Returns the resolved form of a path, independent of its spelling. It is the file itself, or the name within the
    /// folder in which the file would be created.
    private static func place(of path: String) -> [String] {
        if let file = identity(of: path) { return file.place }
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

        var place: [String] { ["\(device)", "\(node)"] }

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            node = UInt64(status.st_ino)
            isDirectory = status.st_mode & S_IFMT == S_IFDIR
        }
    }

    /// Returns the identity of the file that a path leads to; `nil` if there is none.
    private static func identity(of path: String) -> Identity? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        return Identity(status)
    }

    /// Returns the identity of the file that a descriptor leads to; `nil` if it leads to a pipe or a device.
    private static func identity(of descriptor: Int32) -> Identity? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Identity(status)
    }
}
