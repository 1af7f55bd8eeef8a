import Flourish
import Platform

/// The pipe between a run and a camera. The run opens its end by the path `/dev/fd/N`.
enum CameraPipe {
    /// Opens a pipe. The caller closes both descriptors.
    ///
    /// - Throws: ``FlourishError/Code/unavailable`` if there are no descriptors.
    static func open() throws(FlourishError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw FlourishError(.unavailable, "there are no descriptors for a pipe") }
        return (ends[0], ends[1])
    }
}
