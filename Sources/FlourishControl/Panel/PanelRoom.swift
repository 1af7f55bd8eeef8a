import Flourish
import Foundation
import Platform

/// A folder of this user's own for the server's socket, as long as it is needed.
final class PanelRoom: Sendable {
    private let folder: String
    var socketPath: String { Self.socketPath(in: folder) }

    /// The names of such folders: the last letters are the system's choice.
    private static let prefix = "flourish-", choice = "XXXXXX"
    /// Folders that are younger, in seconds, may belong to a server that is about to listen.
    private static let grace = 60

    /// - Parameter parent: where the folder is made; the user's own place for such things by default.
    /// - Throws: ``FlourishError/Code/outputUnavailable``.
    init(in parent: String = usualParent()) throws(FlourishError) {
        Self.clear(parent)
        var template = Array("\(parent)/\(Self.prefix)\(Self.choice)".utf8CString)
        // Its mode is 0700.
        guard unsafe mkdtemp(&template) != nil else {
            throw FlourishError(
                .outputUnavailable, "\(parent): no folder for the panel can be made there (\(systemMessage(errno)))")
        }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(folder) }

    private static func usualParent() -> String {
        let environment = Resources.currentEnvironment()
        return [environment["XDG_RUNTIME_DIR"], environment["TMPDIR"]].lazy
            .compactMap(\.self).first { !$0.isEmpty && $0.utf8.count < 80 } ?? "/tmp"
    }

    private static func socketPath(in folder: String) -> String { folder + "/http" }

    private static func remove(_ folder: String) {
        _ = unsafe unlink(socketPath(in: folder))
        _ = unsafe rmdir(folder)
    }

    /// Removes what runs left behind that were killed: folders of ours with a socket at which nobody listens any more.
    private static func clear(_ parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) && name.count == prefix.count + choice.count {
            let folder = parent + "/" + name
            var info = stat()
            guard unsafe lstat(folder, &info) == 0, info.st_mode & S_IFMT == S_IFDIR, info.st_uid == geteuid(),
                changed(info) < time(nil) - grace, let caller = LocalSocket()
            else { continue }
            // A server that is busy keeps nobody waiting.
            caller.makeNonblocking()
            if caller.connect(to: socketPath(in: folder)) == ECONNREFUSED { remove(folder) }
        }
    }

    /// When something last changed in a folder, in seconds.
    private static func changed(_ info: stat) -> Int {
        #if canImport(Darwin)
        info.st_mtimespec.tv_sec
        #else
        info.st_mtim.tv_sec
        #endif
    }
}
