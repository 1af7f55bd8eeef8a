import Foundation
import Testing
import TestSupport

@testable import Flourish
@testable import Pipeline
@testable import Reactions

@Suite struct ReactionPlanTests {
    private let source = """
        "source": {"path": "call.mp4", "size": 100, "fingerprint": "murmur3:00", "codec": "h264", "width": 64, \
        "height": 48, "frameRate": 30, "timeBase": "1/30000", "startTime": 1, "duration": 40, "frames": 1200}
        """

    private func plan(_ reactions: String, more: String = "") throws -> ReactionPlan {
        try ReactionPlan(
            json: Array("{\"schema\": 1, \(source), \(more) \"reactions\": [\(reactions)]}".utf8), name: "p.json")
    }

    private func message(_ body: () throws -> some Any) -> String {
        do {
            _ = try body()
            return "nothing is wrong"
        } catch {
            return "\(error)"
        }
    }

    // MARK: Reading and writing

    @Test func unknownFieldsAreKept() throws {
        let read = try plan(
            #"{"reactionType": "rain", "startTime": 3, "mine": {"a": [1, 2.5, null, true, "ü/"]}}"#,
            more: #""other": 9007199254740993, "style": {"seed": 7, "mood": "sunny"},"#)
        let again = try ReactionPlan(json: Array(read.json.utf8), name: "p.json")
        #expect(again == read)
        for part in [#""mine": {"#, "9007199254740993", #""mood": "sunny""#, #""ü/""#] {
            #expect(read.json.contains(part))
        }
    }

    /// Editors on Windows write a byte order mark.
    @Test func byteOrderMarksAreSkipped() throws {
        let read = try plan(#"{"reactionType": "rain", "startTime": 3}"#)
        #expect(try ReactionPlan(json: [0xEF, 0xBB, 0xBF] + Array(read.json.utf8), name: "p.json") == read)
    }

    @Test func writtenPlansAreValid() throws {
        let schema = try JSONSchema(contentsOf: Repository.root.appending(path: "docs/plan.schema.json"))
        var read = try plan(#"{"reactionType": "rain", "startTime": 3, "origin": {"x": 0.5, "y": 0.25}, "note": "!"}"#)
        read.style.look.palette = Palette.designed["pastel"]
        #expect(try schema.faults(in: JSONValue(parsing: read.json)).isEmpty)
        #expect(read.json.contains(#""origin": {"x": 0.5, "y": 0.25}"#), "small objects stand on a line")
    }

    @Test func theSchemaListsEveryReason() throws {
        let file = Repository.root.appending(path: "docs/plan.schema.json")
        let schema = try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
        let reasons = schema["$defs"]?["reaction"]?["properties"]?["reason"]?["enum"]?.array?.compactMap(\.string) ?? []
        #expect(Set(reasons) == Set(ReactionEvent.CandidateReason.allCases.map(\.rawValue)))
    }

    @Test func secondsTakePrecedenceOverTicks() throws {
        let read = try plan(
            """
            {"reactionType": "rain", "startTime": 4.933333, "startPTS": 148000},
            {"reactionType": "rain", "startTime": 5.5, "startPTS": 148000},
            {"reactionType": "rain", "startPTS": 148000}
            """)
        #expect(read.reactions.map(\.startPTS) == [148000, nil, 148000])
        let exact = Double(148000) / 30000 - 1
        #expect(read.requests().map(\.seconds) == [exact, 4.5, exact])
    }

    @Test func plansAreStoredBesideTheRecording() {
        #expect(ReactionPlan.path(for: "call.mp4") == "call.plan.json")
        #expect(ReactionPlan.path(for: "a.b/call") == "a.b/call.plan.json")
        #expect(ReactionPlan.path(for: "a.b/.call") == "a.b/.call.plan.json")
        #expect(ReactionPlan.path(for: "my.call.mkv") == "my.call.plan.json")
    }

    // MARK: Showing

    @Test func aReactionsSeedIsIndependentOfOthers() throws {
        let one = #"{"reactionType": "rain", "startTime": 3}"#
        let two = #"{"reactionType": "heart", "startTime": 9, "seed": 4}"#
        let off = #"{"reactionType": "rain", "startTime": 2, "enabled": false}"#
        let alone = try plan(one).requests().map(\.request.seed)
        #expect(try plan("\(off), \(two), \(one)").requests().map(\.request.seed) == [4] + alone)
        #expect(try plan(#"{"reactionType": "rain", "startTime": 4}"#).requests().map(\.request.seed) != alone)
    }

    @Test func disabledReactionsAreNotAnnouncedToTheEncoder() throws {
        let more = #""anticipations": [{"from": 4, "until": 5, "reactionType": "rain", "startTime": 5}],"#
        func reaction(_ enabled: Bool) -> String {
            #"{"reactionType": "rain", "startTime": 5, "trigger": "gesture", "enabled": \#(enabled)}"#
        }
        #expect(try plan(reaction(true), more: more).anticipated().count == 1)
        #expect(try plan(reaction(false), more: more).anticipated().isEmpty)
    }

    // MARK: Invalid plans

    @Test(arguments: [
        (
            #"{"reactionType": "rain", "startTime": 41}"#,
            "reactions[0].startTime: 41 s is outside the video, from 1 to 41 s"
        ),
        (#"{"reactionType": "rain", "startTime": 0.5}"#, "reactions[0].startTime: 0.5 s is outside the video"),
        (
            #"{"reactionType": "rain", "startTime": 5, "endTime": 5}"#,
            "reactions[0].endTime: 5 s is not after the start"
        ),
        (
            #"{"reactionType": "rain", "startTime": 5, "endTime": 50}"#,
            "reactions[0].endTime: 50 s is outside the video"
        ),
        (
            #"{"reactionType": "rain", "startTime": 5, "origin": {"x": 2, "y": 0}}"#,
            "reactions[0].origin: positions are fractions of the picture"
        ),
        (#"{"reactionType": "rain", "startTime": "5"}"#, "reactions[0].startTime: the value has the wrong type"),
        (#"{"reactionType": "rain"}"#, "reactions[0].startTime: the key is missing"),
        (#"{"startTime": 5}"#, "reactions[0].reactionType: the key is missing"),
        (
            #"{"reactionType": "rain", "startTime": 5, "trigger": "moon"}"#,
            "reactions[0].trigger: the value is unknown"
        ),
        (
            #"{"reactionType": "rain", "startTime": 5, "gesture": "a b"}"#,
            "reactions[0].gesture: 'a b' is not a valid gesture name"
        ),
        (
            #"{"reactionType": "rain", "startTime": 5, "startTime": 6}"#,
            "the key \"startTime\" is a duplicate"
        ),
        (
            #"{"id": 1, "reactionType": "rain", "startTime": 5}, {"id": 1, "reactionType": "rain", "startTime": 6}"#,
            "reactions[1].id: reactions[0] has the same id"
        ),
        (#"{"reactionType": "rain", "startTime": 5"#, "a comma or } is expected instead of ']'"),
    ])
    func errorsNameTheirPlace(_ reactions: String, _ expected: String) {
        let reported = message { try plan(reactions) }
        #expect(reported.hasPrefix("p.json: ") && reported.contains(expected), "\(reported)")
    }

    @Test func disabledReactionsMayBeInvalid() throws {
        #expect(try plan(#"{"reactionType": "no such", "startTime": 99, "enabled": false}"#).reactions.count == 1)
    }

    @Test func anotherVersionIsRefused() {
        let reported = message {
            try ReactionPlan(json: Array("{\"schema\": 2, \(source), \"reactions\": []}".utf8), name: "p.json")
        }
        #expect(reported.contains("schema: the plan has version 2, but this program supports version 1"))
    }

    @Test func unknownTypesAreRefused() throws {
        let assets = Repository.root.appending(path: "Assets").path
        let catalog = try EffectCatalog(resources: Resources(assets: assets))
        let reported = message { try plan(#"{"reactionType": "snow", "startTime": 5}"#).check(catalog) }
        #expect(
            reported.hasPrefix("p.json: reactions[0].reactionType: unknown reaction snow; use one of thumbsUp"))
    }
}
