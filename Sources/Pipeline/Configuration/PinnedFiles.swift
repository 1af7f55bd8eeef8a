package import Inference
import MediaIO
import Platform
import Synchronization

/// The library and the models that this version was made for and tried with, as `Scripts/setup` fetches them.
///
/// What stands in them is executed as it is: a byte that a disk has changed would end the process, or have it see hands
/// where there are none.
package enum PinnedFiles {
    /// The SHA-256 of each model by its name; that of `Scripts/pins.txt`, as all here.
    static let models = [
        "palm_detection_lite.tflite": "e9a4aaddf90dda56a87235303cf00e4c2d3fb28725f68fd88772997dac905c18",
        "palm_detection_full.tflite": "1b14e9422c6ad006cde6581a46c8b90dd573c07ab7f3934b5589e7cea3f89a54",
        "hand_landmark_lite.tflite": "048edd3645c9bf7397d19a9f6e3a42957d6e414c9bea6598030a2e9b624156e6",
        "hand_landmark_full.tflite": "11c272b891e1a99ab034208e23937a8008388cf11ed2a9d776ed3d01d0ba00e3",
        "selfie_segmentation.tflite": "9ee168ec7c8f2a16c56fe8e1cfbc514974cbbb7e434051b455635f1bd1462f5c",
        "selfie_segmentation_landscape.tflite": "a77d03f4659b9f6b6c1f5106947bf40e99d7655094b6527f214ea7d451106edd",
        "face_detection_short_range.tflite": "bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8",
        "pose_landmark_full.tflite": "e9a5c5cb17f736fafd4c2ec1da3b3d331d6edbe8a0d32395855aeb2cdfd64b9f",
    ]
    /// The SHA-256 of LiteRT by the machine that it is for.
    static let libraries = [
        "x86_64": "eec47eb35e2924b3166015887e652a58edc9af823ae38e02bf83bef2548300bb",
        "aarch64": "b57687dc234d2b8b0598aef5a9c961ed24263df8f8b3f56adbee1cff618e544b",
        "arm64": "f3d8b2c3dea5125111de6b005820088629efd13db04b5f157ffd4f2c5dbb318b",
    ]
    /// The variable of the environment with which other files are taken, such as a LiteRT that somebody built.
    static let allowance = "FLOURISH_ANY_RUNTIME"

    #if os(macOS)
    private static let machine = "arm64"
    #elseif arch(arm64)
    private static let machine = "aarch64"
    #else
    private static let machine = "x86_64"
    #endif

    /// The files that were found to be right, as they were then.
    private static let known = Mutex<[String: FileStamp]>([:])

    /// Verifies a file before it is opened, once as long as it stays as it is (15 ms for LiteRT, up to 13 for a model). What
    /// cannot be read is left to whoever opens it.
    ///
    /// - throws: `.libraryDamaged` or `.modelDamaged`.
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
                detail: "it has not the SHA-256 of the file that was tried; \(allowance)=1 takes it all the same")
        }
        known.withLock { $0[path] = stamp }
    }
}

extension ModelLoan {
    /// Loads one of the installed models, or takes it from those that runs share.
    ///
    /// - throws: as `Model` does, and as ``PinnedFiles/check(_:environment:)``.
    package convenience init(
        installed file: String, in resources: Resources, tapping output: String? = nil, size: InputSize? = nil,
        threads: Int = 1
    ) throws(InferenceError) {
        let home = Resources.dataFolder(environment: Resources.currentEnvironment())
        let path = (resources.models ?? home + "/models") + "/" + file
        let library = resources.liteRTLibrary ?? home + "/lib/" + Resources.libraryName
        try PinnedFiles.check(library)
        try PinnedFiles.check(path)
        try self.init(
            path: path, library: library, tapping: output, size: size, threads: threads,
            from: resources.shared?.models)
    }
}
