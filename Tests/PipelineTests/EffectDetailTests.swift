import RateControl
import Testing

@testable import Pipeline
@testable import Reactions

/// Draws time as text, a character a frame, ten frames a second: in `requests` a letter requests an effect (c confetti,
/// r rain) and a digit sets the limit to that multiple of the usual rate. The result has a line for each type with the
/// share of its pieces: `.` no effect, `#` all, or tenths.
private func play(_ requests: String, detail: Double? = nil) -> [Character: String] {
    let types: [Character: ReactionType] = ["c": .confetti, "r": .rain]
    let cost = EffectCost(bits: 100_000, piecesBits: 80_000)
    let preset = EffectTimeline.Preset(duration: 0.5, origin: PicturePoint(x: 0, y: 0), complexity: 3, cost: cost)
    var timeline = EffectTimeline(presets: [.confetti: preset, .rain: preset])
    timeline.detail = detail
    var lines: [Character: String] = ["c": "", "r": ""]
    for (frame, mark) in requests.enumerated() {
        if let limit = mark.wholeNumberValue {
            timeline.budget = EffectBudget(
                limit: Double(limit) * 1_000_000, pixels: 1280 * 720, frameRate: 30,
                quiet: QuietFrames(qp: 18, bitRate: 1_000_000))
        }
        if let type = types[mark] {
            timeline.request(EffectRequest(reactionType: type, origin: nil, trigger: .request, gesture: nil))
        }
        _ = timeline.advance(to: Double(frame) / 10, frame: frame)
        for (letter, type) in types {
            let effect = timeline.running.first { $0.reactionType == type }
            lines[letter]! += effect.map { $0.detail == 1 ? "#" : "\(Int($0.detail * 10))" } ?? "."
        }
    }
    return lines
}

@Suite("Effect detail")
struct EffectDetailTests {
    @Test func unlimitedRatesDrawAllPieces() {
        #expect(play("-c-----")["c"] == ".#####.")
    }

    @Test func sufficientRatesDrawAllPieces() {
        #expect(play("9c-----")["c"] == ".#####.")
    }

    @Test func tightRatesDrawFewerPieces() {
        #expect(play("3c-----")["c"] == ".66666.")
        #expect(play("1c-----")["c"] == ".55555.")
    }

    @Test func detailIsConstantDuringAnEffect() {
        #expect(play("1c-9c-c-------")["c"] == ".55555555555..")
    }

    @Test func laterEffectsGetTheRemainingRate() {
        let lines = play("5c-r-----")
        #expect(lines["c"] == ".#####...")
        #expect(lines["r"] == "...55555.")
    }

    @Test func configuredDetailTakesPrecedence() {
        #expect(play("1c-----", detail: 1)["c"] == ".#####.")
        #expect(play("-c-----", detail: 0.7)["c"] == ".77777.")
    }
}
