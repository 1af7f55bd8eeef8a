import Foundation
import HandPose
import Inference

/// What `Scripts/setup` installed.
enum InstalledModels {
    private static let folder: URL = {
        let environment = ProcessInfo.processInfo.environment
        if let home = environment["FLOURISH_HOME"] { return URL(filePath: home) }
        if let data = environment["XDG_DATA_HOME"] {
            return URL(filePath: data).appending(path: "flourish")
        }
        return FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/share/flourish")
    }()

    /// A tracker with the full models.
    static func tracker() throws -> HandTracker {
        #if canImport(Darwin)
            let libraryName = "lib/libLiteRt.dylib"
        #else
            let libraryName = "lib/libLiteRt.so"
        #endif
        let library = try InferenceLibrary(path: folder.appending(path: libraryName).path)
        func model(_ name: String) throws -> Model {
            try Model(path: folder.appending(path: "models/\(name).tflite").path, library: library)
        }
        return HandTracker(
            detector: try PalmDetector(model: model("palm_detection_full")),
            landmarker: try HandLandmarker(model: model("hand_landmark_full")))
    }
}
