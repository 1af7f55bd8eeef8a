import MediaIO
import Platform

/// The files that runs of this process are still writing.
package enum UnfinishedOutputs {
    /// Removes them all, for a process that is about to end at once.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    package static func remove() -> Bool { TemporaryFile.removeAll() }
}
