import Foundation
import Inference
import Segmentation

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

    static func model(_ name: String) throws -> Model {
        #if canImport(Darwin)
            let library = "libLiteRt.dylib"
        #else
            let library = "libLiteRt.so"
        #endif
        return try Model(
            path: folder.appending(path: "models/\(name).tflite").path,
            library: InferenceLibrary(path: folder.appending(path: "lib/\(library)").path))
    }

    static func segmenter(_ kind: PersonSegmenter.Kind) throws -> PersonSegmenter {
        let name = kind == .landscape ? "selfie_segmentation_landscape" : "selfie_segmentation"
        return try PersonSegmenter(model: model(name), kind: kind)
    }
}
