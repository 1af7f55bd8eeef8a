import Foundation

/// The files that `Scripts/setup` installed.
package enum InstalledModels {
    private static let folder: URL = {
        let environment = ProcessInfo.processInfo.environment
        if let home = environment["FLOURISH_HOME"] { return URL(filePath: home) }
        if let data = environment["XDG_DATA_HOME"] {
            return URL(filePath: data).appending(path: "flourish")
        }
        return FileManager.default.homeDirectoryForCurrentUser
            .appending(path: ".local/share/flourish")
    }()

    /// The LiteRT library.
    package static let libraryPath: String = {
        #if canImport(Darwin)
        folder.appending(path: "lib/libLiteRt.dylib").path
        #else
        folder.appending(path: "lib/libLiteRt.so").path
        #endif
    }()

    /// The file of a model, such as `palm_detection_full`.
    package static func path(_ model: String) -> String {
        folder.appending(path: "models/\(model).tflite").path
    }
}
