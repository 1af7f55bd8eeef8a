import Inference
import Segmentation
import TestSupport

extension InstalledModels {
    static func model(_ name: String) throws -> Model {
        try Model(path: path(name), library: InferenceLibrary(path: libraryPath))
    }

    static func segmenter(_ kind: PersonSegmenter.Kind) throws -> PersonSegmenter {
        let name = kind == .landscape ? "selfie_segmentation_landscape" : "selfie_segmentation"
        return try PersonSegmenter(model: model(name), kind: kind)
    }
}
