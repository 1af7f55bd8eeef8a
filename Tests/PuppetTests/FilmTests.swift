import Foundation
@testable import Puppet
import Testing
import TestSupport

@Suite("A film")
struct FilmTests {
    @Test("has the script's frames, a sound track and its truth beside it")
    func render() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "puppet-film-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var script = Scripts.cue(.victory, .left, width: 96, height: 64)
        script.duration = 1.2
        let path = folder.appending(path: "film.mp4").path
        var steps: [Int] = []
        try PuppetFilm(script: script, threads: 2).render(to: path) { done, total in
            steps.append(done)
            #expect(total == 12)
        }
        #expect(steps.last == 12)
        let frames = try await FrameChecksums(of: URL(filePath: path)).frames
        #expect(frames.count == 12)
        let sound = try await FrameChecksums(of: URL(filePath: path), stream: "a:0").frames
        #expect(abs(sound.count - 57) <= 2, "1.2 s at 48 kHz in packets of 1024")
        let truth = try JSONDecoder().decode(
            PuppetTruth.self, from: Data(contentsOf: folder.appending(path: "film.truth.json")))
        #expect(truth.cues.map(\.gesture) == ["victory"])
        #expect(truth.frameCount == 12)
    }

    @Test("is refused under a name that is no film's")
    func unknownContainer() throws {
        let film = try PuppetFilm(script: Scripts.cue(.fist, .left, width: 64, height: 64))
        #expect(throws: PuppetError.self) { try film.render(to: "/nowhere/film.txt") }
    }
}
