import Testing

@testable import Reactions

@Suite struct PlanPatchTests {
    private var plan: ReactionPlan {
        var first = ReactionPlan.Reaction(.heart, at: 2, origin: PicturePoint(x: 0.5, y: 0.5))
        (first.id, first.startPTS, first.unknown) = (1, 200, ["mine": .text("stays")])
        var missed = ReactionPlan.Reaction(.rain, at: 4)
        (missed.id, missed.isEnabled, missed.reason) = (2, false, .heldTooBriefly)
        return ReactionPlan(
            source: .init(
                path: "call.mp4", size: 1, fingerprint: "f", codec: "h264", width: 64, height: 48, timeBase: "1/100",
                startTime: 0, duration: 10, frames: 100),
            reactions: [first, missed])
    }

    private func patched(_ json: String) throws -> ReactionPlan {
        try plan.patched(by: PlanPatch(json: Array(json.utf8)))
    }

    @Test func unnamedFieldsAreUnchanged() throws {
        let changed = try patched(#"{"reactions": {"1": {"enabled": false}}}"#)
        #expect(changed.reactions[0].isEnabled == false)
        #expect(changed.reactions[0].startPTS == 200)
        #expect(changed.reactions[0].unknown == ["mine": .text("stays")])
        #expect(changed.reactions[1] == plan.reactions[1])
    }

    @Test func nullRemovesAFieldOrAReaction() throws {
        #expect(try patched(#"{"reactions": {"1": {"origin": null}}}"#).reactions[0].origin == nil)
        #expect(try patched(#"{"reactions": {"2": null}}"#).reactions.map(\.id) == [1])
        #expect(try patched(#"{"reactions": {"9": null}}"#) == plan)
    }

    @Test func layoutsAreReplacedAsAWhole() throws {
        let drawn = #"{"startTime": 0, "tiles": [{"id": 3, "x": 0, "y": 0, "width": 0.5, "height": 1}]}"#
        let changed = try patched(#"{"layouts": [\#(drawn)], "reactions": {"1": {"tile": 3}}}"#)
        #expect(changed.layouts.tiles(at: 1).map(\.id) == [3] && changed.reactions[0].tile == 3)
        #expect(try changed.patched(by: PlanPatch(json: Array(#"{"layouts": []}"#.utf8))).layouts.layouts.isEmpty)
        // The plan's own rules hold.
        let overlapping =
            #"[{"tiles": [{"x": 0, "y": 0, "width": 0.6, "height": 1}, {"x": 0.5, "y": 0, "width": 0.5, "height": 1}]}]"#
        let error = #expect(throws: FlourishError.self) { try patched(#"{"layouts": \#(overlapping)}"#) }
        #expect(error?.message.contains("tiles 1 and 2 overlap") == true)
    }

    @Test func aNewNumberIsANewReaction() throws {
        let added = try patched(#"{"reactions": {"7": {"reactionType": "confetti", "startTime": 3.5}}}"#).reactions[2]
        #expect(added.id == 7 && added.reactionType == .confetti && added.startTime == 3.5 && added.isEnabled)
    }

    @Test func movesResetTheTick() throws {
        let moved = try patched(#"{"reactions": {"1": {"startTime": 3}}}"#).reactions[0]
        #expect(moved.startTime == 3 && moved.startPTS == nil)
    }

    @Test func theStyleChanges() throws {
        let style = try patched(##"{"style": {"intensity": 0.4, "palette": {"colours": ["#ff0000"]}}}"##).style
        #expect(style.look.intensity == 0.4 && style.look.palette?.colours == ["#ff0000"])
        #expect(try patched(#"{"style": {"calm": true}}"#).style.look.isCalm)
        let video = try patched(#"{"style": {"portrait": 0.6, "studioLight": 0}}"#).style
        #expect(video.portrait == 0.6 && video.studioLight == 0)
    }

    @Test(arguments: [
        #"{"reactions": {"1": {"startTime": 99}}}"#, #"{"reactions": {"1": 3}}"#, #"{"reactions": {"x": {}}}"#,
        #"{"reactions": {"8": {"startTime": 1}}}"#, #"{"style": {"intensity": 7}}"#, #"{"style": {"portrait": -1}}"#,
        #"{"style": 3}"#,
        #"{"reactions": {"1": {"origin": {"x": 4, "y": 0}}}}"#, "nonsense", "[]",
    ])
    func invalidPatchesAreRefused(_ json: String) {
        #expect(throws: FlourishError.self) { try patched(json) }
    }

    @Test func reactionsWithoutANumberGetOne() {
        var plan = plan
        plan.reactions.append(.init(.confetti, at: 1))
        #expect(plan.numbered.reactions.map(\.id) == [1, 2, 3])
        plan.reactions[0].id = .max
        plan.reactions[1].id = 1
        plan.reactions[2].id = nil
        #expect(plan.numbered.reactions.map(\.id) == [.max, 1, 2])
    }
}
