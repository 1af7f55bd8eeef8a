import FoundationEssentials
import MediaIO

/// Reads and writes whole files of text.
package enum MarkerFile {
    /// What is larger is something else.
    private static let greatestSize = 64 << 20

    /// - Throws: ``FlourishError/Code/inputUnavailable`` where it cannot be read.
    package static func read(_ path: String) throws(FlourishError) -> [UInt8] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw FlourishError(
                .inputUnavailable, "\(path): cannot be read; give a file of markers that an editing program exported")
        }
        guard data.count <= greatestSize else { throw FlourishError(.inputUnusable, "\(path): is too large for markers") }
        return [UInt8](data)
    }

    /// Writes all of a text, or nothing.
    ///
    /// - Throws: ``FlourishError/Code/outputUnavailable``, ``FlourishError/Code/inputOutput``.
    package static func write(_ text: String, to path: String, overwrite: Bool) throws(FlourishError) {
        do {
            try TemporaryFile.write([UInt8](text.utf8), to: path, overwrite: overwrite)
        } catch {
            throw FlourishError(describing: error)
        }
    }
}
