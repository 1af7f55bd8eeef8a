import FoundationEssentials
package import Reactions

/// A file that an editing program wrote.
package enum MarkerFile {
    /// What is larger is something else.
    private static let greatestSize = 64 << 20

    /// - Throws: ``FlourishError/Code/inputUnavailable`` where it cannot be read.
    package static func read(_ path: String) throws(FlourishError) -> [UInt8] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw FlourishError(
                .inputUnavailable, "\(path): cannot be read; give a file of markers that an editing program exported")
        }
        guard data.count <= greatestSize else {
            throw FlourishError(.inputUnusable, "\(path): is too large for markers")
        }
        return [UInt8](data)
    }
}
