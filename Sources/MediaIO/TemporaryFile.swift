internal import CFFmpeg

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Files that grow beside the one that was asked for, and take its name when they are whole.
enum TemporaryFile {
    /// A hidden name in the same folder that no other process uses.
    static func path(for path: String) -> String {
        let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        return "\(path[..<cut]).\(path[cut...]).partial-\(getpid())"
    }

    /// Whether the final name belongs to a folder, which no file can replace.
    static func isFolder(_ path: String) -> Bool {
        var info = stat()
        return unsafe stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
    }

    /// Gives a finished file its final name, in one step that replaces what was there.
    static func publish(_ temporary: String, as path: String) throws(MediaError) {
        guard unsafe rename(temporary, path) == 0 else {
            throw .writing(path, status: cffmpeg_averror(errno))
        }
    }

    static func remove(_ temporary: String) { _ = unsafe unlink(temporary) }

    /// Writes a whole file, or nothing.
    static func write(_ bytes: [UInt8], to path: String) throws(MediaError) {
        let temporary = self.path(for: path)
        guard let file = unsafe fopen(temporary, "wb") else {
            throw .writing(path, status: cffmpeg_averror(errno))
        }
        let written = unsafe bytes.withUnsafeBytes { unsafe fwrite($0.baseAddress, 1, $0.count, file) }
        let failure = written < bytes.count ? errno : 0
        guard unsafe fclose(file) == 0, failure == 0 else {
            let status = cffmpeg_averror(failure != 0 ? failure : errno)
            remove(temporary)
            throw .writing(path, status: status)
        }
        do throws(MediaError) { try publish(temporary, as: path) } catch {
            remove(temporary)
            throw error
        }
    }
}
