import Foundation
@testable import Puppet
import Testing
import TestSupport

@Suite("Scripts")
struct ScriptTests {
    @Test("that ship can be read", arguments: ["call", "thumb-up", "victories", "heart", "open-palm"])
    func shipped(name: String) throws {
        #expect(try PuppetScript(path: Scripts.path(name)).frameCount > 0)
    }

    @Test(
        "that are wrong are refused with a line that says where",
        arguments: [
            ("nonsense", "not valid JSON"),
            (#"{"width": 64, "height": 64, "rate": 10, "cues": []}"#, "lacks 'duration'"),
            (
                #"{"width": 64, "height": 64, "rate": 10, "duration": 1, "cues": [{"time": 0, "pose": "wave", "hands": "left", "hold": 1}]}"#,
                "cues.[0].pose has an unknown value"
            ),
        ])
    func unreadable(text: String, reason: String) throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "puppet-script-\(checksum([Array(text.utf8)])).json")
        try text.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let error = try #require(throws: PuppetError.self) { try PuppetScript(path: file.path) }
        #expect(error.code == .invalidScript)
        #expect(error.message == "\(file.path): \(reason)" || error.message.contains(reason))
    }

    @Test("that ask for what cannot be drawn are refused")
    func invalid() throws {
        var script = Scripts.cue(.heart, .left)
        #expect(throws: PuppetError.self) { try PuppetDirector(script: script) }
        script = Scripts.cue(.fist, .left, width: 8)
        #expect(throws: PuppetError.self) { try PuppetDirector(script: script) }
        script = Scripts.cue(.fist, .left)
        #expect(throws: Never.self) { try PuppetDirector(script: script) }
        for place in [[1e30, 0], [0.5, -1e9]] {
            script.cues[0].place = place
            #expect(throws: PuppetError.self) { try PuppetDirector(script: script) }
        }
    }

    @Test(
        "whose scene cannot be drawn are refused with where that is said",
        arguments: [
            (#""light": 1e30"#, "scene: light"), (#""light": -1"#, "scene: light"), (#""noise": 1e39"#, "scene: noise"),
        ])
    func scenes(scene: String, reason: String) throws {
        let text = #"{"width": 64, "height": 64, "rate": 10, "duration": 1, "scene": {"# + scene + #"}, "cues": []}"#
        let file = FileManager.default.temporaryDirectory
            .appending(path: "puppet-scene-\(checksum([Array(text.utf8)])).json")
        try text.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let script = try PuppetScript(path: file.path)
        let error = try #require(throws: PuppetError.self) { try PuppetDirector(script: script) }
        #expect(error.code == .invalidScript && error.message.contains(reason))
    }
}
