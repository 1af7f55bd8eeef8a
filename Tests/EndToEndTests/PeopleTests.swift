import Foundation
import Testing
import TestSupport

/// Effects behind people, where people cannot be segmented.
@Suite struct PeopleTests {
    @Test("Without the model effects are in front, and one warning says so")
    func missingModel() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 3, sound: false)
            let nothing: [String: String?] = ["FLOURISH_HOME": bench.file("nothing").path]
            let filter = ["filter", "in.mp4", "out.mp4", "--no-gestures", "--events", "events.jsonl"]
            let both = try await bench.flourish(
                filter + ["--reaction", "lasers@0.2", "--reaction", "fireworks@1"], environment: nothing)
            #expect(both.exitCode == 0, "\(both.standardError)")
            let text = try String(decoding: bench.bytes("events.jsonl"), as: UTF8.self)
            #expect(text.components(separatedBy: "\"code\":\"peopleNotFound\"").count == 2)
            #expect(text.contains("effects are drawn in front of people"))

            // Effects in front need face detection, not segmentation.
            let thumbs = try await bench.flourish(
                filter + ["-y", "--reaction", "thumbsUp@0.2"], environment: nothing)
            #expect(thumbs.exitCode == 0)
            let reported = try String(decoding: bench.bytes("events.jsonl"), as: UTF8.self)
            #expect(
                !reported.contains("peopleNotFound") && reported.components(separatedBy: "facesNotFound").count == 2)
        }
    }

    @Test(
        "A missing helper model is reported once, and the effect is drawn",
        arguments: [
            ("pose_landmark_full", "lasers", "furniture next to people may be treated as part of them"),
            ("face_detection_short_range", "heart", "effects may cover faces"),
        ])
    func missingHelper(_ model: String, _ reaction: String, _ consequence: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 1, sound: false)
            let installed = URL(filePath: InstalledModels.path(model)).deletingLastPathComponent()
            let folder = bench.file("home/models")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                at: bench.file("home/lib"),
                withDestinationURL: installed.deletingLastPathComponent().appending(path: "lib"))
            for name in try FileManager.default.contentsOfDirectory(atPath: installed.path)
            where name != model + ".tflite" {
                try FileManager.default.createSymbolicLink(
                    at: folder.appending(path: name), withDestinationURL: installed.appending(path: name))
            }
            let result = try await bench.flourish(
                [
                    "filter", "in.mp4", "out.mp4", "--no-gestures", "--reaction", reaction + "@0.2", "--reaction",
                    reaction + "@0.6",
                ],
                environment: ["FLOURISH_HOME": bench.file("home").path])
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.standardError.components(separatedBy: consequence).count == 2, "\(result.standardError)")
        }
    }
}
