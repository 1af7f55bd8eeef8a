import FoundationEssentials
import MediaIO
import Platform
import Synchronization
package import Vision

/// The checksums of the library and the models with which this version was tested, and their verification.
/// `Scripts/setup` downloads or makes these files.
///
/// LiteRT does not validate models, so a damaged byte could crash the process or cause false detections.
package enum PinnedFiles {
    /// The SHA-256 of each model by its name, from `Scripts/pins.txt`.
    package static let models = [
        "palm_detection_lite.tflite": "e9a4aaddf90dda56a87235303cf00e4c2d3fb28725f68fd88772997dac905c18",
        "palm_detection_full.tflite": "1b14e9422c6ad006cde6581a46c8b90dd573c07ab7f3934b5589e7cea3f89a54",
        "palm_detection_full_128x128.tflite": "1bc2424093267947b13ea4f2ccc1656ba726fad24126ea4e8433ca28fefeed97",
        "palm_detection_full_128x192.tflite": "b35a7d2927e3f8c1a2b8b0c672221b1eb12f2d7c42723f12974e6d2c7a2c8612",
        "palm_detection_full_192x128.tflite": "c347be0de3d16f15973b319ff49216a3ccde17ce00c5049cb210366ecf26b3e7",
        "hand_landmark_lite.tflite": "048edd3645c9bf7397d19a9f6e3a42957d6e414c9bea6598030a2e9b624156e6",
        "hand_landmark_full.tflite": "11c272b891e1a99ab034208e23937a8008388cf11ed2a9d776ed3d01d0ba00e3",
        "hand_landmark_full_tapped.tflite": "5650e7a6caf78fc946b9eb2fd9c6399f885a29c9dafb7dfe901dca1c314a426d",
        "selfie_segmentation.tflite": "9ee168ec7c8f2a16c56fe8e1cfbc514974cbbb7e434051b455635f1bd1462f5c",
        "selfie_segmentation_landscape.tflite": "a77d03f4659b9f6b6c1f5106947bf40e99d7655094b6527f214ea7d451106edd",
        "face_detection_short_range.tflite": "bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8",
        "pose_landmark_full.tflite": "e9a5c5cb17f736fafd4c2ec1da3b3d331d6edbe8a0d32395855aeb2cdfd64b9f",
    ]
    /// The SHA-256 of LiteRT by architecture, from `Scripts/pins.txt`.
    package static let libraries = [
        "x86_64": "eec47eb35e2924b3166015887e652a58edc9af823ae38e02bf83bef2548300bb",
        "aarch64": "b57687dc234d2b8b0598aef5a9c961ed24263df8f8b3f56adbee1cff618e544b",
        "arm64": "f3d8b2c3dea5125111de6b005820088629efd13db04b5f157ffd4f2c5dbb318b",
    ]
    /// The environment variable that allows other files, such as a custom build of LiteRT.
    package static let allowance = "FLOURISH_ANY_RUNTIME"

    #if os(macOS)
    private static let machine = "arm64"
    #elseif arch(arm64)
    private static let machine = "aarch64"
    #else
    private static let machine = "x86_64"
    #endif

    /// The stamps of the files that were verified.
    private static let known = Mutex<[String: FileStamp]>([:])

    /// Verifies a file before it is opened. It is verified again only if it has changed, because that takes 15 ms for
    /// LiteRT, and up to 13 ms for a model.
    ///
    /// A file that cannot be read passes, because opening it reports the error.
    ///
    /// - Throws: `.libraryDamaged` or `.modelDamaged`.
    package static func check(
        _ path: String, environment: @autoclosure () -> [String: String] = Resources.currentEnvironment()
    ) throws(InferenceError) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let isLibrary = name == Resources.libraryName
        guard let sum = isLibrary ? libraries[machine] : models[name], let stamp = FileStamp(of: path),
            known.withLock({ $0[path] }) != stamp, let found = FileDigest.sha256(of: path)
        else { return }
        if found != sum, environment()[allowance, default: ""].isEmpty {
            throw InferenceError(
                isLibrary ? .libraryDamaged : .modelDamaged, path: path,
                detail: "its SHA-256 differs from the tested file's; set \(allowance)=1 to use it anyway")
        }
        known.withLock { $0[path] = stamp }
    }
}
