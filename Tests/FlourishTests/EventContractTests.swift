import Foundation
import TestSupport
import Testing

@testable import Flourish

/// Compares the schema of events, their page and the emitted events, both ways.
@Suite struct EventContractTests {
    private static let clientEvents: Set = ["propertyChanged", "eventsLost"]
    private static let common: Set = ["schema", "event", "time", "frame"]

    /// The fields of each event in the schema.
    private static func rules() throws -> [String: JSONValue] {
        let file = Repository.root.appending(path: "docs/events.schema.json")
        let schema = try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
        var rules: [String: JSONValue] = [:]
        for rule in schema["allOf"]?.array ?? [] {
            let event = rule["if"]?["properties"]?["event"]
            let names = event?["const"].map { [$0] } ?? event?["enum"]?.array ?? []
            for name in names.compactMap(\.string) { rules[name] = rule["then"] }
        }
        return rules
    }

    private static func page() throws -> String {
        try ["docs/events.md", "docs/control-protocol.md"].map {
            try String(contentsOf: Repository.root.appending(path: $0), encoding: .utf8)
        }.joined()
    }

    /// One event of each kind, with all optional fields.
    private static let samples: [ReactionEvent] = {
        let place = PicturePoint(x: 0.25, y: 0.5)
        let tile = LayoutTile(id: 1, x: 0, y: 0, width: 0.5, height: 0.5)
        var gesture = ReactionEvent.GestureDetail(
            gesture: .heart, handCount: 2, confidence: 0.9, origin: place, heldSince: 0.5)
        let crop = PictureCrop(x: 0.1, y: 0.1, width: 0.5, height: 0.5)
        (gesture.tile, gesture.crop) = (tile, crop)
        var candidate = ReactionEvent.CandidateDetail(
            gesture: .victory, handCount: 1, confidence: 0.5, origin: place, heldSince: 0.5, heldUntil: 1, hold: 1,
            reason: .moved)
        (candidate.tile, candidate.crop) = (tile, crop)
        var effect = ReactionEvent.EffectDetail(
            id: 1, reactionType: .rain, trigger: .gesture, gesture: .victory, origin: place, startTime: 1, detail: 0.5,
            tile: tile)
        effect.crop = crop
        let end = ReactionEvent.EffectEnd(
            id: 1, reactionType: .rain, startTime: 1, endTime: 2, framesDropped: 0,
            encoder: .init(bits: 1, meanQP: 1, maxQP: 1, framesDropped: 0), tile: tile)
        var photo = ReactionEvent.PhotoDetail(
            id: 1, path: "a.jpg", photoTime: 1, content: "clean", photoQualityPrioritization: .speed, frames: 1,
            width: 2,
            height: 2, zeroShutterLag: true)
        (photo.reactionType, photo.gesture, photo.origin) = (.rain, .victory, place)
        (photo.tile, photo.crop) = (tile, crop)
        photo.choice = PhotoChoice(candidates: 2, sharpness: 1, stillness: 1, faces: 0)
        let smart = ReactionEvent.SmartRenderSummary(
            framesCopied: 1, framesEncoded: 1,
            spans: [.init(startTime: 0, endTime: 1, frames: 1, reactionTypes: [.rain])],
            timing: .init(looking: 1, rendering: 1, checking: 1))
        let stage = ReactionEvent.StageLatency(stage: .total, count: 1, p50: 1, p95: 1, p99: 1, max: 1)
        let kinds: [ReactionEvent.Kind] = [
            .streamStarted(
                .init(
                    input: "-", width: 2, height: 2, frameRate: 25, availableReactionTypes: [.rain],
                    gesturesEnabled: true, reactionsEnabled: true, frameRateDuringEffects: 25, wholeReason: "x")),
            .gesture(gesture), .candidate(candidate), .effectStarted(effect),
            .effectExtended(.init(id: 1, reactionType: .rain, trigger: .request, tile: tile)), .effectEnded(end),
            .effectsInProgress([ReactionEffectState(effect)]),
            .encoderAdjusted(
                .init(reason: "effectStarted", previous: .init(crf: 20), requested: .init(bitRate: 1))),
            .encoderRecovered(.init(endTime: 1, seconds: 0.2, usualQP: 20)),
            .frameRateChanged(.init(from: 60, to: 30, reason: "effectsInProgress")), .layoutChanged([tile]),
            .videoEffectsChanged(VideoEffects(portrait: 0.6, studioLight: 0.5, autoFraming: 0.6)),
            .qualityChanged(.init(from: "full", to: "mask", load: 1.1)), .statistics(.init(stages: [stage])),
            .warning(code: .inputLost, message: "x"), .photoProxy(photo), .photoFinished(photo),
            .photoFailed(id: 1, message: "x"), .photoReadiness(.ready),
            .streamEnded(
                .init(
                    framesIn: 1, framesOut: 1, framesDropped: 0, effects: [.rain: 1], seconds: 1, smartRender: smart,
                    sounds: [.init(startTime: 1, endTime: 2)])),
        ]
        return kinds.map { ReactionEvent(time: 1, frame: 1, kind: $0) }
    }()

    @Test func everyEventHasARuleAndARow() throws {
        let emitted = Set(ReactionEvent.names).union(Self.clientEvents)
        #expect(Set(try Self.rules().keys) == emitted)
        let page = try Self.page()
        for name in emitted { #expect(page.contains("\n| `\(name)` | "), "\(name) has no row") }
        #expect(Set(Self.samples.map(\.name)) == Set(ReactionEvent.names))
    }

    @Test func emittedFieldsAreThoseOfTheSchema() throws {
        let (rules, schema) = (try Self.rules(), try JSONSchema.events())
        for event in Self.samples {
            let value = try JSONValue(parsing: event.jsonLine)
            #expect(schema.faults(in: value).isEmpty, "\(event.jsonLine)")
            let fields = Set(value.object?.keys.map { $0 } ?? []).subtracting(Self.common)
            var known = Set(rules[event.name]?["properties"]?.object?.keys.map { $0 } ?? [])
            // The one or the other.
            if event.name == "encoderAdjusted" { known.remove("notAdjustable") }
            #expect(fields == known, "\(event.name): \(fields.symmetricDifference(known).sorted())")
        }
    }

    @Test func thePageNamesTheFieldsOfTheSchema() throws {
        let page = try Self.page()
        for (name, rule) in try Self.rules() {
            let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `\(name)` | ") })
            let last = row.split(separator: "|").last ?? ""
            if last.contains("as `photoFinished`") { continue }
            let named = Set(last.matches(of: /`(\w+)`/).map { String($0.1) })
            let known = Set(rule["properties"]?.object?.keys.map { $0 } ?? [])
            #expect(named == known, "\(name): \(named.symmetricDifference(known).sorted())")
            for field in known where !Self.clientEvents.contains(name) {
                #expect(Self.describes(field, in: page), "\(field) of \(name) has no row in the table of fields")
            }
        }
    }

    /// Returns whether a row's first cell names the field.
    private static func describes(_ field: String, in page: String) -> Bool {
        page.split(separator: "\n").contains { row in
            row.hasPrefix("| `") && row.split(separator: "|").first?.contains("`\(field)`") == true
        }
    }

    @Test func everyFieldOfTheSchemaIsDescribed() throws {
        let file = Repository.root.appending(path: "docs/events.schema.json")
        let schema = try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
        #expect(Self.undescribed(in: schema, at: "$").isEmpty)
    }

    private static func undescribed(in schema: JSONValue, at path: String) -> [String] {
        var missing: [String] = []
        for (name, member) in schema["properties"]?.object ?? [:] {
            let place = "\(path).\(name)"
            if member["description"] == nil, member["$ref"] == nil { missing.append(place) }
            missing += undescribed(in: member, at: place)
        }
        for name in ["items", "then"] {
            if let part = schema[name] { missing += undescribed(in: part, at: "\(path).\(name)") }
        }
        for rule in schema["allOf"]?.array ?? [] { missing += undescribed(in: rule, at: path) }
        for (name, part) in schema["$defs"]?.object ?? [:] { missing += undescribed(in: part, at: "#\(name)") }
        return missing
    }

    @Test func listedValuesAreThoseOfTheCode() throws {
        let (rules, page) = (try Self.rules(), try Self.page())
        func examples(_ event: String, _ field: String) -> [String] {
            rules[event]?["properties"]?[field]?["examples"]?.array?.compactMap(\.string) ?? []
        }
        let codes = ReactionEvent.WarningCode.allCases.map(\.rawValue)
        #expect(Set(examples("warning", "code")) == Set(codes))
        let reasons = ReactionEvent.CandidateReason.allCases.map(\.rawValue)
        #expect(Set(examples("candidate", "reason")) == Set(reasons))
        for name in codes + reasons + examples("encoderAdjusted", "reason") + examples("frameRateChanged", "reason") {
            #expect(page.contains("`\(name)`"), "\(name) is not on the page")
        }
    }

    /// The additions that the page allows are valid.
    @Test(arguments: [
        #"{"schema":1,"event":"handRaised","time":1,"frame":2,"who":"left"}"#,
        #"{"schema":1,"event":"effectExtended","time":1,"frame":2,"id":1,"reactionType":"snow","trigger":"voice","more":{}}"#,
        #"{"schema":1,"event":"warning","time":1,"frame":2,"code":"tooDark","message":""}"#,
        #"{"schema":1,"event":"frameRateChanged","time":1,"frame":2,"from":1,"to":2,"reason":"thermal"}"#,
        #"{"schema":1,"event":"qualityChanged","time":1,"frame":2,"from":"full","to":"colour","load":1}"#,
    ])
    func additionsAreValid(_ line: String) throws {
        #expect(try JSONSchema.events().faults(in: JSONValue(parsing: line)).isEmpty)
    }

    @Test func violationsAreNot() throws {
        for line in [
            #"{"schema":2,"event":"gesture","time":1,"frame":2}"#, #"{"schema":1,"event":7,"time":1,"frame":2}"#,
            #"{"schema":1,"event":"warning","time":1,"frame":2,"code":"x"}"#,
            #"{"schema":1,"event":"photoFailed","time":1,"frame":2,"id":"a","message":""}"#,
        ] {
            #expect(try !JSONSchema.events().faults(in: JSONValue(parsing: line)).isEmpty, "\(line)")
        }
    }
}
