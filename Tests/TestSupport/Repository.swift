package import FoundationEssentials

/// The location of the sources on this machine.
package enum Repository {
    /// The folder that holds `Package.swift`.
    package static let root: URL = {
        var folder = URL(filePath: #filePath)
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        return folder
    }()
}
