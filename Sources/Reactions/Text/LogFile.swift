import Platform

/// A file, or a descriptor that is open already, that is written piece by piece as things happen.
///
/// A file is emptied when the first piece comes: a run that fails before destroys nothing, and leaves nothing behind
/// that was not there. What goes to a descriptor follows what others wrote there.
struct LogFile: ~Copyable {
    let path: String
    /// What is written, for messages.
    private let content: String
    private let descriptor: Int32
    /// Whether it was opened here, by its name.
    private let isFile: Bool
    private let isNew: Bool
    private(set) var hasBegun = false

    /// - Parameters:
    ///   - path: `-` for the standard output; see ``DescriptorOutput/descriptor(named:)`` for other descriptors.
    ///   - content: what is written, such as `events`.
    ///   - option: where the path was given.
    /// - Throws: ``FlourishError/Code/outputUnavailable`` if the file cannot be written.
    init(path: String, content: String, option: String) throws(FlourishError) {
        self.path = path
        self.content = content
        if let open = DescriptorOutput.descriptor(named: path) {
            (isFile, isNew) = (false, false)
            descriptor = fcntl(open, F_DUPFD_CLOEXEC, 0)
        } else {
            isFile = true
            isNew = unsafe access(path, F_OK) != 0
            descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
        }
        guard descriptor >= 0 else {
            throw FlourishError(
                .outputUnavailable,
                "\(path): \(content) cannot be written there (\(systemMessage(errno))); choose another \(option) path")
        }
    }

    deinit {
        close(descriptor)
        if isNew, !hasBegun { _ = unsafe unlink(path) }
    }

    /// Writes at once; the answer is 0, or the error number of the write that failed.
    mutating func append(_ text: String) -> Int32 {
        // Pipes and terminals cannot be emptied, and need not be.
        if !hasBegun, isFile { _ = ftruncate(descriptor, 0) }
        hasBegun = true
        return DescriptorOutput.write(Array(text.utf8), to: descriptor)
    }

    /// The error for a write that failed.
    func failure(_ code: Int32) -> FlourishError {
        var error = FlourishError(.inputOutput, "\(path): writing \(content) failed (\(systemMessage(code)))")
        error.isDiskFull = code == ENOSPC || code == EDQUOT
        return error
    }
}
