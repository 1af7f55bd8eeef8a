/// The running program, and the platform's names for libraries.
package enum Program {
    /// The running program's path, with symbolic links resolved.
    package static func executablePath() -> String? {
        #if os(Linux)
        let path = "/proc/self/exe"
        #else
        let path = CommandLine.arguments[0]
        #endif
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The file name extension of shared libraries.
    #if canImport(Darwin)
    package static let libraryEnding = "dylib"
    #else
    package static let libraryEnding = "so"
    #endif
}
