import Flourish
import Foundation
import Platform
import TestSupport
import Testing

@testable import FlourishControl

/// A review of a short clip, without gesture recognition, and its client.
struct ReviewBench: PageBench {
    let folder: URL
    let server: PageServer

    static func with(
        plan: String? = nil, planPath: String? = nil, _ body: @Sendable (ReviewBench) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            try await Program.onPath("ffmpeg").succeed(
                [
                    "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=2", "-f", "lavfi", "-i",
                    "sine=d=2", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "call.mp4",
                ], in: folder)
            if let plan { try Data(plan.utf8).write(to: folder.appending(path: "call.plan.json")) }
            var configuration = Configuration()
            configuration.gesturesEnabled = false
            configuration.resources = Resources(assets: Repository.root.appending(path: "Assets").path)
            let place = planPath.map { folder.appending(path: $0) }
            if let place {
                try FileManager.default.createDirectory(
                    at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
            let review = try Review(
                folder.appending(path: "call.mp4").path, planPath: place?.path, configuration: configuration)
            let server = try await PageServer(address: .loopback, review: review)
            let work = Task { await review.run() }
            let bench = ReviewBench(folder: folder, server: server)
            do { try await body(bench) } catch {
                work.cancel()
                await server.stop()
                throw error
            }
            work.cancel()
            await work.value
            await server.stop()
        }
    }

    var url: String { server.url }
    var planFile: URL { folder.appending(path: "call.plan.json") }

    func patch(_ body: String, seen revision: Int) async throws -> Int {
        try await status("PATCH", "plan", [Self.json, "If-Match: \"\(revision)\""], body: body)
    }

    /// Returns the plan as pages receive it, once it exists.
    func plan() async throws -> JSONValue {
        for _ in Hang.rounds(milliseconds: 50) {
            let answer = try await ask("GET", "plan")
            if answer.head.contains(" 200 ") {
                return try JSONValue(parsing: String(decoding: answer.body, as: UTF8.self))
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw ControlError(.failed, "there was no plan")
    }
}

@Suite(.timeLimit(.minutes(Hang.minutes))) struct ReviewServerTests {
    @Test func thePageAndItsResourcesAreServed() async throws {
        try await ReviewBench.with { bench in
            let page = try await bench.ask("GET", "")
            #expect(page.head.contains("200") && page.head.contains("default-src 'none'"))
            let text = String(decoding: page.body, as: UTF8.self)
            #expect(text.contains("<!doctype html>") && !text.contains("http://") && !text.contains("https://"))
            for name in ["review.js", "review.css", "panel.css", "icons/rain.png", "session"] {
                #expect(try await bench.status("GET", name) == 200, "\(name)")
            }
            #expect(try await bench.status("GET", "../Reactions/rain.json") == 404)
            #expect(try await bench.status("GET", "panel.js") == 404)
        }
    }

    @Test func theVideoIsServedInRanges() async throws {
        try await ReviewBench.with { bench in
            let file = [UInt8](try Data(contentsOf: bench.folder.appending(path: "call.mp4")))
            let whole = try await bench.ask("GET", "video")
            #expect(whole.head.contains("200") && whole.head.contains("Accept-Ranges: bytes"))
            #expect(whole.head.contains("video/mp4") && whole.body == file)
            let part = try await bench.ask("GET", "video", ["Range: bytes=100-199"])
            #expect(part.head.contains("206") && part.head.contains("Content-Range: bytes 100-199/\(file.count)"))
            #expect(part.body == Array(file[100..<200]))
            #expect(try await bench.ask("GET", "video", ["Range: bytes=-10"]).body == file.suffix(10))
            #expect(try await bench.status("GET", "video", ["Range: bytes=\(file.count)-"]) == 416)
            let head = try await bench.ask("HEAD", "video")
            #expect(head.head.contains("Content-Length: \(file.count)") && head.body.isEmpty)
            #expect(try await bench.status("POST", "video", [ReviewBench.json], body: "{}") == 405)
            // Another file under its name is not served instead.
            try Data("another one".utf8).write(to: bench.folder.appending(path: "call.mp4"))
            #expect(try await bench.status("GET", "video") == 409)
            _ = try await bench.event("status") { $0.contains("\"hasChanged\":true") }
        }
    }

    @Test func changedRecordingsAreNotRendered() async throws {
        try await ReviewBench.with { bench in
            let resources = [
                "frame.jpg?time=0&height=90", "thumbnail.jpg?time=0&height=90", "stretch.mp4?from=0&to=0.2",
            ]
            for resource in resources { #expect(try await bench.status("GET", resource) == 200, "\(resource)") }
            // An extra byte does not prevent reading.
            let call = try FileHandle(forWritingTo: bench.folder.appending(path: "call.mp4"))
            try call.seekToEnd()
            try call.write(contentsOf: [0])
            try call.close()
            for resource in resources + ["seen?time=0"] {
                #expect(try await bench.status("GET", resource) == 409, "\(resource)")
            }
            #expect(try await bench.status("POST", "render", [ReviewBench.json], body: "{}") == 409)
            #expect(!FileManager.default.fileExists(atPath: bench.folder.appending(path: "call.reacted.mp4").path))
        }
    }

    @Test func changesAreComparedAndSwapped() async throws {
        try await ReviewBench.with { bench in
            let revision = try #require(try await bench.plan()["revision"]?.integer)
            let confetti = #"{"reactions":{"1":{"reactionType":"confetti","startTime":0.5}}}"#
            #expect(try await bench.patch(confetti, seen: revision) == 200)
            #expect(try ReactionPlan(contentsOf: bench.planFile.path).reactions.map(\.reactionType) == [.confetti])
            #expect(try await bench.patch(#"{"reactions":{"1":null}}"#, seen: revision) == 409, "it was seen before")
            #expect(try await bench.patch(#"{"reactions":{"1":{"startTime":99}}}"#, seen: revision + 1) == 422)
            #expect(
                try await bench.patch(#"{"reactions":{"1":{"reactionType":"nope"}}}"#, seen: revision + 1) == 422)
            #expect(try await bench.patch("nonsense", seen: revision + 1) == 422)
            #expect(try await bench.status("PATCH", "plan", [ReviewBench.json], body: confetti) == 428)
            #expect(try await bench.status("PATCH", "plan", ["If-Match: \"2\""], body: confetti) == 415)
            #expect(try await bench.plan()["revision"]?.integer == revision + 1)
        }
    }

    @Test func failedSavesAreReportedAndNotApplied() async throws {
        try await ReviewBench.with(planPath: "plans/call.json") { bench in
            let before = try await bench.plan()
            let revision = try #require(before["revision"]?.integer)
            try FileManager.default.removeItem(at: bench.folder.appending(path: "plans"))
            let answer = try await bench.ask(
                "PATCH", "plan", [ReviewBench.json, "If-Match: \"\(revision)\""], body: #"{"style":{"calm":true}}"#)
            #expect(answer.head.contains(" 507 "))
            #expect(String(decoding: answer.body, as: UTF8.self).contains("folder does not exist"))
            #expect(try await bench.plan() == before)
            // The plan is saved as soon as that is possible again.
            try FileManager.default.createDirectory(
                at: bench.folder.appending(path: "plans"), withIntermediateDirectories: false)
            #expect(try await bench.patch(#"{"style":{"calm":true}}"#, seen: revision) == 200)
            #expect(
                try ReactionPlan(contentsOf: bench.folder.appending(path: "plans/call.json").path).style.look.isCalm
            )
        }
    }

    @Test func privatePlansKeepTheirPermissions() async throws {
        try await ReviewBench.with { bench in
            let revision = try #require(try await bench.plan()["revision"]?.integer)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: bench.planFile.path)
            #expect(try await bench.patch(#"{"style":{"calm":true}}"#, seen: revision) == 200)
            let attributes = try FileManager.default.attributesOfItem(atPath: bench.planFile.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func removedPlansAreReportedAndRecreated() async throws {
        try await ReviewBench.with { bench in
            let revision = try #require(try await bench.plan()["revision"]?.integer)
            try FileManager.default.removeItem(at: bench.planFile)
            _ = try await bench.event("plan") { $0.contains("\"isGone\":true") }
            #expect(try await bench.patch(#"{"style":{"calm":true}}"#, seen: revision) == 200)
            _ = try await bench.event("plan") { $0.contains("\"isGone\":false") }
            #expect(try ReactionPlan(contentsOf: bench.planFile.path).style.look.isCalm)
        }
    }

    @Test func externalChangesAreLoaded() async throws {
        try await ReviewBench.with { bench in
            let revision = try #require(try await bench.plan()["revision"]?.integer)
            var plan = try ReactionPlan(contentsOf: bench.planFile.path)
            plan.reactions.append(.init(.heart, at: 1))
            try plan.write(to: bench.planFile.path, overwrite: true)
            // A client that has not seen the change cannot overwrite it.
            #expect(try await bench.patch(#"{"style":{"calm":true}}"#, seen: revision) == 409)
            let reported = try await bench.event("plan") { $0.contains("\"revision\":\(revision + 1)") }
            #expect(reported.contains("\"fault\":null"))
            #expect(try await bench.patch(#"{"style":{"calm":true}}"#, seen: revision + 1) == 200)
            // A file that is not a plan stays unchanged and is never overwritten.
            try Data("{ broken".utf8).write(to: bench.planFile)
            #expect(try await bench.patch(#"{"style":{"calm":false}}"#, seen: revision + 2) == 409)
            #expect(try await bench.event("plan") { $0.contains("unreadable") }.contains("call.plan-2.json"))
            #expect(try Data(contentsOf: bench.planFile) == Data("{ broken".utf8))
        }
    }

    @Test(arguments: [
        ("{ broken", "unreadable", "line"), (#"{"schema": 99}"#, "unreadable", "version 99"),
        (otherPlan.json, "otherRecording", "is for another recording"),
        (plan(of: "nope"), "unreadable", "unknown reaction nope"),
    ])
    func invalidPlansAreReportedAndKept(_ text: String, _ kind: String, _ message: String) async throws {
        try await ReviewBench.with(plan: text) { bench in
            let reported = try await bench.event("plan") { $0.contains(kind) }
            #expect(reported.contains(message), "\(reported)")
            _ = try await bench.event("status") { $0.contains("ready") }
            #expect(try await bench.patch(#"{"style":{"calm":true}}"#, seen: 1) == 409)
            #expect(try await bench.status("POST", "plan", [ReviewBench.json], body: "{}") == 200)
            _ = try await bench.event("plan") { $0.contains("\"hasPlan\":true") }
            #expect(try Data(contentsOf: bench.planFile) == Data(text.utf8))
            _ = try ReactionPlan(contentsOf: bench.folder.appending(path: "call.plan-2.json").path)
        }
    }

    @Test func plansOfAnotherRecordingAreReported() async throws {
        try await ReviewBench.with { bench in
            let revision = try #require(try await bench.plan()["revision"]?.integer)
            let own = try Data(contentsOf: bench.planFile)
            try Data(Self.otherPlan.json.utf8).write(to: bench.planFile)
            let reported = try await bench.event("plan") { $0.contains("otherRecording") }
            #expect(
                reported.contains("is for another recording") && reported.contains("call.plan-2.json"), "\(reported)")
            #expect(try await bench.patch(#"{"style":{"calm":true}}"#, seen: revision + 1) == 409)
            #expect(try Data(contentsOf: bench.planFile) == Data(Self.otherPlan.json.utf8))
            // The plan's own file is used again.
            try own.write(to: bench.planFile)
            _ = try await bench.event("plan") { $0.contains("\"fault\":null") && $0.contains("\"hasPlan\":true") }
            let now = try #require(try await bench.plan()["revision"]?.integer)
            #expect(try await bench.patch(#"{"style":{"calm":true}}"#, seen: now) == 200)
        }
    }

    private static let otherPlan = ReactionPlan(
        source: .init(
            path: "other.mp4", size: 1, fingerprint: "murmur3:0", codec: "h264", width: 96, height: 64,
            timeBase: "1/12800", startTime: 0, duration: 2, frames: 50)
    )

    private static func plan(of type: String) -> String {
        var plan = otherPlan
        plan.reactions = [.init(ReactionType(rawValue: type), at: 1)]
        return plan.json
    }

    @Test func previewsMatchTheRendering() async throws {
        try await ReviewBench.with { bench in
            let revision = try #require(try await bench.plan()["revision"]?.integer)
            #expect(
                try await bench.patch(
                    #"{"reactions":{"1":{"reactionType":"balloons","startTime":0.8,"enabled":false}}}"#, seen: revision)
                    == 200)
            func frames(_ query: String) async throws -> [String] {
                let answer = try await bench.ask("GET", "stretch.mp4?" + query)
                #expect(answer.head.contains("200") && answer.head.contains("video/mp4"))
                let file = bench.folder.appending(path: "stretch.mp4")
                // The answer comes in chunks with sizes between them.
                try Data(Chunks.joined(answer.body)).write(to: file)
                return try await FrameChecksums(of: file).frames.map(\.checksum)
            }
            let plain = try await frames("effects=no&from=0.4&to=1.6")
            #expect(plain.count == 30)
            #expect(try await frames("from=0.4&to=1.6") == plain, "it is switched off")
            let shown = try await frames("from=0.4&to=1.6&with=1")
            #expect(shown.count == 30 && shown.prefix(8) == plain.prefix(8) && shown.last != plain.last)
            // The header describes pictures, which follow immediately: a browser need not read on to recognise the
            // video.
            let file = try Data(contentsOf: bench.folder.appending(path: "stretch.mp4"))
            let (pictures, fragments) = (file.range(of: Data("mdat".utf8)), file.range(of: Data("moof".utf8)))
            #expect(try #require(pictures).lowerBound < #require(fragments).lowerBound)
            for query in ["", "?from=1&to=0.5", "?from=3&to=4"] {
                #expect(try await bench.status("GET", "stretch.mp4" + query) == 400)
            }
            #expect(try await bench.status("GET", "stretch.mp4?from=nan") == 400)
            #expect(try await bench.status("GET", "stretch.mp4?from=0&to=0.2&with=99") == 400)
        }
    }

    @Test func picturesAndTheWaveformAreServed() async throws {
        try await ReviewBench.with { bench in
            for name in ["thumbnail.jpg?time=1.2&height=40", "frame.jpg?time=0.5&height=64"] {
                let answer = try await bench.ask("GET", name)
                #expect(answer.head.contains("200") && answer.body.starts(with: [0xFF, 0xD8]), "\(name)")
            }
            #expect(try await bench.status("GET", "frame.jpg?time=0.5&height=100000") == 400)
            #expect(try await bench.status("GET", "frame.jpg?height=64") == 400)
            var sound = try await bench.ask("GET", "sound")
            for _ in Hang.rounds(milliseconds: 50) {
                guard sound.head.contains(" 202 ") else { break }
                try await Task.sleep(for: .milliseconds(50))
                sound = try await bench.ask("GET", "sound")
            }
            // A sine of two seconds, an eighth of full scale.
            #expect((95...110).contains(sound.body.count))
            #expect(sound.body.dropFirst(5).dropLast(8).allSatisfy { (20...50).contains($0) }, "\(sound.body)")
        }
    }

    @Test func outputsAreRenderedOnceAndReplacedOnRequest() async throws {
        try await ReviewBench.with { bench in
            let revision = try #require(try await bench.plan()["revision"]?.integer)
            #expect(
                try await bench.patch(#"{"reactions":{"1":{"reactionType":"heart","startTime":0.5}}}"#, seen: revision)
                    == 200)
            #expect(try await bench.status("GET", "result") == 404)
            #expect(try await bench.status("GET", "stretch.mp4?from=0&of=result") == 404)
            #expect(try await bench.status("POST", "render", body: "{}") == 415)
            #expect(try await bench.status("POST", "render", [ReviewBench.json], body: "{}") == 200)
            let done = try await bench.event("render") { $0.contains("\"phase\":\"done\"") }
            #expect(done.contains("call.reacted.mp4") && done.contains("\"effects\":1"), "\(done)")
            #expect(done.contains("\"revision\":\(revision + 1)") && done.contains("\"startTime\":0"), "\(done)")
            let file = [UInt8](try Data(contentsOf: bench.folder.appending(path: "call.reacted.mp4")))
            let part = try await bench.ask("GET", "result", ["Range: bytes=100-199"])
            #expect(part.head.contains("206") && part.head.contains("video/mp4") && part.body == Array(file[100..<200]))
            #expect(try await bench.status("GET", "stretch.mp4?from=0&to=0.2&of=result") == 200)
            #expect(try await bench.status("POST", "render", [ReviewBench.json], body: "{}") == 412)
            #expect(try await bench.status("POST", "render", [ReviewBench.json], body: #"{"replace":true}"#) == 200)
            _ = try await bench.status("DELETE", "render")
            _ = try await bench.event("render") { !$0.contains("running") }
            #expect(FileStamp(of: bench.folder.appending(path: "call.reacted.mp4").path) != nil)
            let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).sorted()
            #expect(names == ["call.mp4", "call.plan.json", "call.reacted.mp4"])
            // Another file under its name is not the result.
            try Data("another one".utf8).write(to: bench.folder.appending(path: "call.reacted.mp4"))
            #expect(try await bench.status("GET", "result") == 409)
        }
    }

    @Test func unauthenticatedClientsAreRejected() async throws {
        try await ReviewBench.with { bench in
            let revision = try #require(try await bench.plan()["revision"]?.integer)
            let wrong = String(repeating: "0", count: 32), body = #"{"style":{"calm":true}}"#
            let fields = [ReviewBench.json, "If-Match: \"\(revision)\""]
            for (method, name) in [
                ("GET", "video"), ("GET", "plan"), ("PATCH", "plan"), ("POST", "plan"), ("GET", "stretch.mp4?from=0"),
                ("GET", "events"), ("POST", "render"), ("DELETE", "render"), ("GET", "frame.jpg?time=0&height=64"),
            ] {
                let sent = method == "GET" || method == "DELETE" ? "" : body
                #expect(
                    try await bench.status(method, name, fields, body: sent, token: wrong) == 404, "\(method) \(name)")
                #expect(try await bench.status(method, name, fields, body: sent, host: "rebound.example:80") == 403)
                for field in ["Origin: http://evil.example", "Sec-Fetch-Site: cross-site"] {
                    #expect(
                        try await bench.status(method, name, fields + [field], body: sent) == 403,
                        "\(method) \(name) \(field)")
                }
            }
            #expect(try await bench.plan()["revision"]?.integer == revision)
            #expect(try await bench.plan()["plan"]?["style"]?["calm"] == .flag(false))
        }
    }

    /// Limits also apply to a browser, or any client with the token.
    @Test func requestsHaveLimits() async throws {
        try await ReviewBench.with { bench in
            _ = try await bench.plan()
            let fields = [ReviewBench.json, "If-Match: \"1\""]
            let huge = { "{\"style\":\"" + String(repeating: "x", count: $0) + "\"}" }
            #expect(try await bench.status("PATCH", "plan", fields, body: huge(2_000_000)) == 413)
            #expect(try await bench.ask("PATCH", "plan", fields, body: huge(9_000_000)).head.isEmpty, "it is cut off")
            let deep =
                "{\"style\":" + String(repeating: "{\"a\":", count: 20_000) + "1"
                + String(repeating: "}", count: 20_001)
            #expect(try await bench.status("PATCH", "plan", fields, body: deep) == 422)
            // Many clients request previews at once, and disconnect.
            let port = try #require(UInt16(bench.host.split(separator: ":")[1]))
            let request = "GET /\(bench.token)/stretch.mp4?from=0 HTTP/1.1\r\nHost: \(bench.host)\r\n\r\n"
            for _ in 0..<12 {
                let socket = LocalSocket(owning: try TCPCall.connect(port: port))
                _ = socket.write(Array(request.utf8)[...])
            }
            try await Hang.wait(milliseconds: 50) { try await bench.status("GET", "stretch.mp4?from=0&to=0.2") != 200 }
            #expect(try await bench.status("GET", "session") == 200)
        }
    }
}

/// The chunked transfer coding: https://www.rfc-editor.org/rfc/rfc9112#section-7.1
private enum Chunks {
    static func joined(_ body: [UInt8]) -> [UInt8] {
        var (rest, result) = (body[...], [UInt8]())
        while let end = rest.firstRange(of: Array("\r\n".utf8)) {
            let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16) ?? 0
            guard size > 0 else { break }
            result += rest[end.upperBound...].prefix(size)
            rest = rest[end.upperBound...].dropFirst(size + 2)
        }
        return result
    }
}
