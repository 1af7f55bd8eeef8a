import Foundation

/// A target's own folder for inputs and outputs.
package struct FuzzFolder: Sendable {
    package let path: String

    package init(_ path: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func write(_ bytes: [UInt8], as name: String) throws(FuzzFault) -> String {
        let file = path + "/" + name
        do { try Data(bytes).write(to: URL(filePath: file)) } catch { throw FuzzFault("no room in \(path)") }
        return file
    }

    /// Removes everything, and returns the names of the removed files.
    func empty() -> [String] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
        for name in names { try? FileManager.default.removeItem(atPath: path + "/" + name) }
        return names
    }
}
