package import Reactions

/// A file that an editing program wrote.
package enum MarkerFile {
    /// - Throws: ``FlourishError/Code/inputUnavailable`` where it cannot be read.
    package static func read(_ path: String) throws(FlourishError) -> [UInt8] {
        let bytes = try NamedFile.read(path, advice: "give a file of markers that an editing program exported")
        guard bytes.count <= NamedFile.greatestSize else {
            throw FlourishError(.inputUnusable, "\(path): is too large for markers")
        }
        return bytes
    }
}
