import MediaIO
import Platform

/// The files that runs of this process are still writing.
package enum UnfinishedOutputs {
    /// Removes them all, for a process that is about to end at once.
    package static func remove() { TemporaryFile.removeAll() }
}
