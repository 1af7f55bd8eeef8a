import Foundation
import TestSupport
import Testing
@testable import Vision

/// Errors for an invalid library or model, and inference with a valid one.
@Suite struct InferenceTests {
    func failure(_ body: () throws -> Void) -> InferenceError? {
        do {
            try body()
            return nil
        } catch {
            return error as? InferenceError
        }
    }

    @Test func missingLibrary() throws {
        let error = try #require(failure { _ = try InferenceLibrary(path: "/nowhere/libLiteRt.so") })
        #expect(error.code == .libraryMissing)
        #expect(error.description.contains("/nowhere/libLiteRt.so"))
        #expect(error.description.contains("Scripts/setup"))
        #expect(!error.description.contains("\n"))
    }

    @Test func anotherLibrary() throws {
        // Any shared library other than LiteRT suffices.
        #if canImport(Darwin)
        let other = "/usr/lib/libz.dylib"
        #else
        let other = "libm.so.6"
        #endif
        let error = try #require(failure { _ = try InferenceLibrary(path: other) })
        #expect(error.code == .libraryVersion)
        #expect(error.description.contains("2.3.0"))
    }

    /// Mapped, it would end the process where its last pages are missing.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/exe"), "needs ELF files"))
    func cutOffLibrary() throws {
        let whole = try Data(contentsOf: URL(filePath: InstalledModels.libraryPath))
        try withTemporaryFolder { folder in
            for size in [60, 64, 4096, whole.count / 2, whole.count * 9 / 10] {
                let part = folder.appending(path: "libLiteRt.so")
                try whole.prefix(size).write(to: part)
                let error = try #require(failure { _ = try InferenceLibrary(path: part.path) })
                #expect(error.code == .libraryDamaged, "\(size) bytes")
                #expect(error.description.contains("truncated"))
            }
        }
    }

    @Test func missingModel() throws {
        let library = try InferenceLibrary(path: InstalledModels.libraryPath)
        for path in ["/nowhere/palm.tflite", "/tmp"] {
            let error = try #require(failure { _ = try Model(path: path, library: library) })
            #expect(error.code == .modelMissing)
            #expect(error.path == path)
        }
    }

    @Test(arguments: ["empty", "text", "half", "flipped"])
    func damagedModel(kind: String) throws {
        let library = try InferenceLibrary(path: InstalledModels.libraryPath)
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "model.tflite")
            var data = try Data(contentsOf: URL(filePath: InstalledModels.path("palm_detection_lite")))
            switch kind {
            case "empty": data = Data()
            case "text": data = Data("not a model at all, however long this text may be".utf8)
            case "half": data = data.prefix(data.count / 2)
            default: for index in 0..<64 { data[index] ^= 0x5a }
            }
            try data.write(to: file)
            let error = try #require(failure { _ = try Model(path: file.path, library: library) })
            #expect(error.code == .modelDamaged)
        }
    }

    @Test func anotherModel() throws {
        let error = try #require(
            failure {
                _ = try PalmDetector { _ throws(InferenceError) in
                    let (path, library) = (InstalledModels.path("hand_landmark_lite"), InstalledModels.libraryPath)
                    return try ModelLease(path: path, library: library, from: nil)
                }
            })
        #expect(error.code == .modelDamaged)
        #expect(error.description.contains("[1, 128, 128, 3]"))
    }

    @Test(arguments: [
        ("palm_detection_lite", 1), ("palm_detection_full", 1), ("hand_landmark_lite", 1),
        ("hand_landmark_full", 1), ("palm_detection_full_128x128", 1), ("palm_detection_full_128x192", 1),
        ("palm_detection_full_192x128", 1), ("hand_landmark_full_tapped", 1), ("selfie_segmentation_landscape", 1),
        ("face_detection_short_range", 1), ("pose_landmark_full", 1),
    ])
    func inferenceIsDeterministic(name: String, inputs: Int) throws {
        let model = try InstalledModels.model(name)
        #expect(model.inputs.count == inputs)
        var results: [[Float]] = []
        for _ in 0..<2 {
            model.withInput(model.inputs[0].name) { input in
                for index in input.indices { input[index] = Float(index % 251) / 251 }
            }
            try model.run()
            results.append(
                model.outputs.flatMap { output in
                    model.withOutput(output.name) { span in span.indices.map { span[$0] } }
                })
        }
        #expect(results[0] == results[1])
        #expect(results[0].contains { $0 != 0 })
        #expect(results[0].allSatisfy { $0.isFinite })
    }

    @Test(arguments: ["hand_landmark_full", "palm_detection_full"])
    func outputsDoNotDependOnThreads(_ name: String) throws {
        let library = try InferenceLibrary(path: InstalledModels.libraryPath)
        let answers = try [1, 2, 3].map { threads in
            let model = try Model(path: InstalledModels.path(name), library: library, threads: threads)
            model.withInput("input_1") { pixels in
                for index in pixels.indices { pixels[index] = Float(index % 97) / 97 }
            }
            try model.run()
            return model.outputs.map { model.withOutput($0.name) { values in values.indices.map { values[$0] } } }
        }
        #expect(answers[1] == answers[0])
        #expect(answers[2] == answers[0])
    }

    @Test func tappedOutputsExposeIntermediateTensors() throws {
        let plain = try InstalledModels.model("hand_landmark_full")
        let model = try InstalledModels.model("hand_landmark_full_tapped")
        #expect(!plain.outputs.contains { $0.name == HandLandmarker.embeddingOutput })
        let tapped = try #require(model.outputs.first { $0.name == HandLandmarker.embeddingOutput })
        #expect(tapped.count == 1152)
        for each in [plain, model] {
            each.withInput("input_1") { pixels in
                for index in pixels.indices { pixels[index] = Float(index % 97) / 97 }
            }
            try each.run()
        }
        // The features from which all outputs are computed: some are positive, and none is below 0.
        model.withOutput(tapped.name) { values in
            #expect(values.indices.contains { values[$0] > 0 })
            #expect(values.indices.allSatisfy { values[$0] >= 0 && values[$0] <= 6 })
        }
        // The other outputs are unchanged.
        let points = plain.withOutput("Identity") { values in values.indices.map { values[$0] } }
        #expect(points == model.withOutput("Identity") { values in values.indices.map { values[$0] } })
    }

    @Test func modelsAcceptOtherPictureSizes() throws {
        let square = try InstalledModels.model("palm_detection_full")
        let flat = try InstalledModels.model("palm_detection_full_192x128")
        #expect(flat.inputs[0].shape == [1, 128, 192, 3])
        #expect(flat.outputs.map(\.shape).contains([1, 1344, 18]))
        func value(_ row: Int, _ index: Int) -> Float {
            (10..<118).contains(row) ? Float((row / 9 * 5 + index / 24 * 3) % 17) / 17 : 0
        }
        /// The scores of the cells of 8 pixels, which come first, for a picture at an offset of rows from the top.
        func scores(_ model: Model, top: Int) throws -> [Float] {
            let width = 192 * 3
            model.withInput("input_1") { pixels in
                for index in pixels.indices { pixels[index] = value(index / width - top, index % width) }
            }
            try model.run()
            return model.withOutput("Identity_1") { values in (0..<768).map { values[$0 + top / 8 * 48] } }
        }
        let expected = try scores(square, top: 32)
        // The black border, which a layer transforms, is cut off: the scores are similar, not equal.
        #expect(correlation(try scores(flat, top: 0), expected) > 0.55)
    }

    private func correlation(_ a: [Float], _ b: [Float]) -> Float {
        func deviations(_ values: [Float]) -> [Float] {
            let mean = values.reduce(0, +) / Float(values.count)
            return values.map { $0 - mean }
        }
        let (a, b) = (deviations(a), deviations(b))
        func product(_ a: [Float], _ b: [Float]) -> Float { zip(a, b).map(*).reduce(0, +) }
        return product(a, b) / (product(a, a) * product(b, b)).squareRoot()
    }
}
