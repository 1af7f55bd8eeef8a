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
        return FileManager.default.homeDirectoryForCurrentUser
            .appending(path: ".local/share/flourish")
    }()

    static let libraryPath: String = {
        #if canImport(Darwin)
            folder.appending(path: "lib/libLiteRt.dylib").path
        #else
            folder.appending(path: "lib/libLiteRt.so").path
        #endif
    }()

    static func path(_ model: String) -> String {
        folder.appending(path: "models/\(model).tflite").path
    }

    static func model(_ name: String) throws -> Model {
        try Model(path: path(name), library: InferenceLibrary(path: libraryPath))
    }

    static func tracker(_ kind: String = "full") throws -> HandTracker {
        HandTracker(
            detector: try PalmDetector(model: model("palm_detection_\(kind)")),
            landmarker: try HandLandmarker(model: model("hand_landmark_\(kind)")))
    }
}
