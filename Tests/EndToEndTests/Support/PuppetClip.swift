import Foundation
import Testing
import TestSupport

/// A synthetic call with one gesture, or none: short and small, but large enough for hand detection.
struct PuppetClip: Sendable, CustomTestStringConvertible {
    /// The name of the puppet's pose.
    var pose: String
    /// `left`, `right` or `both`.
    var hands: String
    /// The second at which the pose is reached, and the time for which it is held.
    var start = 0.5
    var hold = 1.8
    var seconds = 2.6
    var width = 480
    var height = 270

    static let framesPerSecond = 12

    var testDescription: String { "\(hands) \(pose)" }

    var frameCount: Int { Int((seconds * Double(Self.framesPerSecond)).rounded()) }

    /// The script that `flourish puppet` draws.
    var script: String {
        """
        { "width": \(width), "height": \(height), "rate": \(Self.framesPerSecond), "duration": \(seconds),
          "scene": { "skin": "tan", "seed": 3 },
          "cues": [ { "time": \(start), "pose": "\(pose)", "hands": "\(hands)", "hold": \(hold), "rise": 0.3 } ] }
        """
    }
}

extension Workbench {
    /// Draws a clip with the program.
    func draw(_ clip: PuppetClip, as name: String) async throws { try await draw(script: clip.script, as: name) }

    /// Draws the clip of a script with the program.
    func draw(script: String, as name: String) async throws {
        try await MadeFiles.shared.copy([script], to: file(name)) { file in
            let source = file.appendingPathExtension("json")
            try Data(script.utf8).write(to: source)
            try await Program.flourish.succeed(["puppet", source.path, file.path, "-q"])
        }
    }

    /// The events that `detect` prints.
    func detect(_ name: String, _ options: [String] = []) async throws -> EventLines {
        try EventLines(try await Program.flourish.succeed(["detect", name] + options, in: folder).standardOutput)
    }
}
