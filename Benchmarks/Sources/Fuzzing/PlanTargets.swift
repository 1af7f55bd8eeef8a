import Flourish
import Reactions

/// A plan: it is read, written again, numbered, and converted to markers, including WebVTT.
package struct PlanTarget: FuzzTarget {
    package let name = "plan"
    package init() {}

    static let plan = """
        {"schema": 1, "source": {"path": "call.mp4", "size": 100, "fingerprint": "murmur3:00", "codec": "h264", "width": 640,
        "height": 360, "frameRate": 25, "timeBase": "1/12800", "startTime": 0, "duration": 40,
        "frames": 1000}, "style": {"intensity": 1, "calm": false, "palette": {"colours": ["#ff8800", "#0088ff"], "everywhere": true}, "seed": 1}, "reactions": [
        {"id": 1, "enabled": true, "reactionType": "balloons", "startTime": 10.25, "startPTS": 131200, "endTime": 15.5,
        "origin": {"x": 0.258, "y": 0.445}, "trigger": "gesture", "gesture": "victory", "hands": 1, "confidence": 0.993,
        "heldSince": 9.25, "heldUntil": 10.5, "seed": 2, "note": "n"},
        {"id": 2, "reactionType": "confetti", "startTime": 12.5, "trigger": "schedule"},
        {"id": 9, "reactionType": "rain", "startTime": 20.2, "enabled": false, "reason": "heldTooBriefly", "mine": [1]}]}
        """

    package func seeds() throws -> [FuzzInput] { [FuzzInput("json", Self.plan)] }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        do {
            let plan = try ReactionPlan(json: input.bytes)
            let text = plan.json
            guard try ReactionPlan(json: Array(text.utf8)).json == text else {
                throw FuzzFault("what was written is not what was read")
            }
            let numbered = plan.numbered
            for format in MarkerFormat.allCases {
                guard let text = try? numbered.markers(as: format), format.isReadable else { continue }
                var changed = numbered
                _ = try? changed.apply(markers: Array(text.utf8), from: format)
            }
            return "accepted"
        } catch let fault as FuzzFault { throw fault } catch { return try Refusal.word(for: error) }
    }
}

/// A change of a plan by the review's page.
package struct PatchTarget: FuzzTarget {
    package let name = "patch"
    package init() {}

    package func seeds() throws -> [FuzzInput] {
        [
            FuzzInput(
                "json",
                ##"{"reactions": {"1": {"startTime": 11.5, "endTime": 14, "origin": {"x": 0.1, "y": 0.9}, "enabled": false}, "2": null, "7": {"reactionType": "heart", "startTime": 3}}, "style": {"palette": {"colours": ["#ff0000", "#00ff00"]}, "calm": true, "intensity": 0.5, "seed": 9}}"##
            )
        ]
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        do {
            let plan = try ReactionPlan(json: Array(PlanTarget.plan.utf8))
            let changed = try plan.patched(by: try PlanPatch(json: input.bytes)).numbered
            try changed.validate()
            _ = changed.json
            return "accepted"
        } catch { return try Refusal.word(for: error) }
    }
}

/// Markers from an editing program.
package struct MarkersTarget: FuzzTarget {
    package let name = "markers"
    package init() {}

    package func seeds() throws -> [FuzzInput] {
        let plan = try ReactionPlan(json: Array(PlanTarget.plan.utf8))
        return try MarkerFormat.allCases.filter(\.isReadable).map { FuzzInput($0.rawValue, try plan.markers(as: $0)) }
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        do {
            guard let format = MarkerFormat(rawValue: input.kind) else { return "refused" }
            var plan = try ReactionPlan(json: Array(PlanTarget.plan.utf8))
            var options = MarkerOptions()
            if seed % 4 == 0 { (options.frameRate, options.isDropFrame) = (29.97, true) }
            _ = try plan.apply(markers: input.bytes, from: format, options: options)
            try plan.validate()
            _ = plan.json
            return "accepted"
        } catch { return try Refusal.word(for: error) }
    }
}
