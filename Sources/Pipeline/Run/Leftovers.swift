import MediaIO
import Platform
import Reactions

/// What runs that were killed have left beside an output.
package enum Leftovers {
    /// Removes it.
    ///
    /// - Returns: what is to be told of that.
    package static func remove(of output: String?) -> [PipelineWarning] {
        guard let output, let file = MediaAddress(output).filePath, !TemporaryFile.isSpecial(file) else { return [] }
        return TemporaryFile.removeLeftovers(of: file).map {
            PipelineWarning(
                code: .leftoverRemoved,
                message: "\($0): removed; it is what a run that was killed has left of \(output)")
        }
    }
}
