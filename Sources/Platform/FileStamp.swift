/// What tells a file from the one that had its name before: who wrote it last, and when.
package struct FileStamp: Sendable, Hashable {
    private let device: UInt64
    private let node: UInt64
    /// Bytes.
    package let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// The stamp of what a path leads to; nil where there is nothing.
    ///
    /// `stat`
    package init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The stamp of an open file.
    ///
    /// `fstat`
    package init?(descriptor: Int32) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        node = UInt64(status.st_ino)
        size = Int(status.st_size)
        #if canImport(Darwin)
        (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
        #else
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        #endif
    }
}
