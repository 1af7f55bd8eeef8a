import Foundation
@testable import Puppet
import Reactions
import Testing
import TestSupport

@Suite("The truth of a call")
struct TruthTests {
    @Test("has the script's times, and names the gesture and its reaction")
    func intervals() throws {
        let director = try PuppetDirector(script: Scripts.cue(.thumbDown, .both))
        let cue = try #require(director.truth.cues.first)
        #expect([cue.starts, cue.reached, cue.left, cue.gone] == [0, 0.5, 1.9, 2.4])
        #expect(cue.gesture == "twoThumbsDown")
        #expect(cue.reactionType == "rain")
        #expect(cue.handsSeen.map(\.hand) == ["right", "left"])
    }

    /// Update an outdated page with `FLOURISH_UPDATE_PAGES=1 Scripts/test --filter TruthTests`
    @Test("has the poses that the page lists")
    func poses() throws {
        let rows = [true, false].map { isGesture in
            let poses = PuppetPose.allCases.filter { $0.isGesture == isGesture }.map { "`\($0.rawValue)`" }
            let meaning = isGesture ? "gestures" : "near misses, which must trigger nothing"
            return "| \(poses.joined(separator: ", ")) | \(meaning) |"
        }
        #expect(
            try GeneratedSection.isCurrent(
                rows, between: "| `pose` | |\n| --- | --- |\n", and: "\n`scene`:", of: "docs/puppet.md"),
            "docs/puppet.md is stale; FLOURISH_UPDATE_PAGES=1 Scripts/test --filter TruthTests updates it")
    }

    @Test("places every joint of every pose inside the picture", arguments: PuppetPose.allCases)
    func joints(pose: PuppetPose) throws {
        let hands: PuppetCue.Hands = pose == .chin ? .left : .both
        let director = try PuppetDirector(script: Scripts.cue(pose, hands))
        for hand in try #require(director.truth.cues.first).handsSeen {
            #expect(hand.joints.count == 21)
            #expect(hand.joints.allSatisfy { (0...1).contains($0[0]) && (0...1).contains($0[1]) })
        }
    }

    @Test("lets the fingertips and the thumbs of a heart touch")
    func heartTouches() throws {
        let director = try PuppetDirector(script: Scripts.cue(.heart, .both))
        let hands = try #require(director.truth.cues.first).handsSeen
        try #require(hands.count == 2)
        for joint in [4, 8] {
            #expect(abs(hands[0].joints[joint][0] - hands[1].joints[joint][0]) < 0.03)
            #expect(abs(hands[0].joints[joint][1] - hands[1].joints[joint][1]) < 0.03)
        }
        #expect(hands[0].joints[8][1] < hands[0].joints[4][1] - 0.1, "the thumbs are below")
    }

    @Test("of the demo's call has every reaction once, and near misses")
    func call() throws {
        let script = try PuppetScript(path: Scripts.path("call"))
        let cues = script.cues
        let reactions = cues.compactMap(\.reactionType)
        #expect(
            reactions.sorted() == ReactionGesture.allCases.map(\.reactionType.rawValue).sorted())
        #expect(cues.count - reactions.count >= 6)
        #expect(cues.allSatisfy { $0.hold >= 1.3 })
    }
}
