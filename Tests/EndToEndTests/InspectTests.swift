import Foundation
import Testing
import TestSupport

@Suite("flourish inspect")
struct InspectTests {
    /// Checks one line against the contract.
    private func check(_ line: [String: JSONValue]) throws {
        #expect(Set(line.keys) == ["time", "hands", "gesture", "reactionType", "reason"])
        #expect(line["time"]?.number ?? -1 >= 0)
        #expect(line["gesture"] == .null || DeclaredNames.gestures.contains(line["gesture"]?.string ?? ""))
        #expect(line["reactionType"]?.isNull == line["gesture"]?.isNull)
        #expect(line["reason"]?.string?.isEmpty == false)
        for hand in try #require(line["hands"]?.array) {
            let fields = Set(try #require(hand.object).keys)
            #expect(fields.isSuperset(of: ["landmarks", "handedness", "presence", "gesture", "confidence"]))
            #expect(fields.isSubset(of: ["landmarks", "handedness", "presence", "gesture", "confidence", "reason"]))
            let points = try #require(hand["landmarks"]?.array)
            #expect(points.count == 21)
            #expect(points.allSatisfy { $0.array?.count == 3 })
            #expect(
                points.allSatisfy {
                    (-0.5...1.5).contains($0[0]?.number ?? -9) && (-0.5...1.5).contains($0[1]?.number ?? -9)
                })
            #expect(["left", "right"].contains(hand["handedness"]?.string))
            for field in ["presence", "confidence"] { #expect((0...1).contains(hand[field]?.number ?? -1)) }
            #expect(hand["gesture"] == .null || DeclaredNames.signs.contains(hand["gesture"]?.string ?? ""))
        }
    }

    @Test func aVideoHasALineForEachAnalysedFrame() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left"), as: "in.mp4")
            let result = try await bench.flourish(["inspect", "in.mp4", "--json"])
            #expect(result.exitCode == 0 && result.standardError.isEmpty)
            let lines = try result.jsonLines()
            for line in lines { try check(line) }
            let times = lines.compactMap { $0["time"]?.number }
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
            // Slow while no hand is seen, faster while one is.
            #expect((10...31).contains(lines.count))
            let seen = lines.filter { $0["gesture"]?.string == "thumbsUp" }
            #expect(seen.count >= 8)
            #expect(seen.allSatisfy { $0["reactionType"]?.string == "thumbsUp" })
            #expect(lines.contains { $0["reason"]?.string == "fired" })
            let hand = try #require(seen.last?["hands"]?[0])
            #expect(hand["handedness"]?.string == "left")
            // The puppet's left hand is at the right of the picture, its thumb's tip above its wrist.
            #expect(hand["landmarks"]?[0]?[0]?.number ?? 0 > 0.6)
            #expect(hand["landmarks"]?[4]?[1]?.number ?? 1 < hand["landmarks"]?[0]?[1]?.number ?? 0)

            let text = try await bench.flourish(["inspect", "in.mp4"])
            #expect(text.outputLines.count == lines.count)
            #expect(text.standardOutput.contains("thumbsUp") && !text.standardOutput.contains(")  thumbsUp"))
        }
    }

    @Test(arguments: ["png", "jpg", "gif", "avif"])
    func anImageHasOneLine(_ kind: String) async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "victory", hands: "both"), as: "in.mp4")
            try await bench.ffmpeg(["-ss", "1.5", "-i", "in.mp4", "-frames:v", "1", "-q:v", "2", "still.\(kind)"])
            let result = try await bench.flourish(["inspect", "still.\(kind)", "--json"])
            #expect(result.exitCode == 0)
            let lines = try result.jsonLines()
            #expect(lines.count == 1)
            for line in lines { try check(line) }
            #expect(lines.first?["time"]?.number == 0)
            #expect(lines.first?["gesture"]?.string == "twoVictories")
            #expect(lines.first?["reactionType"]?.string == "confetti")
            #expect(lines.first?["hands"]?.array?.map { $0["gesture"]?.string } == ["victory", "victory"])

            let text = try await bench.flourish(["inspect", "still.\(kind)"]).standardOutput
            #expect(text.hasSuffix(")  twoVictories  a single image has no hold\n"), "\(text)")
            let bound = try await bench.flourish(["inspect", "still.\(kind)", "--json", "--bind", "twoVictories=rain"])
            #expect(try bound.jsonLines().first?["reactionType"]?.string == "rain")
        }
    }

    /// The intact part of the photo is analysed.
    @Test func truncatedPhotosAreReadWithAWarning() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=320x180", "-frames:v", "1", "whole.jpg"])
            let whole = try bench.bytes("whole.jpg")
            try bench.write(whole + Data("and a film".utf8), as: "more.jpg")
            try bench.write(whole.prefix(whole.count / 2), as: "half.jpg")
            let result = try await bench.flourish(["inspect", "whole.jpg", "more.jpg", "half.jpg"])
            #expect(result.exitCode == 0 && result.outputLines.count == 3)
            #expect(
                result.errorLines
                    == ["flourish: warning: half.jpg: the input is damaged: the picture is truncated"])
            let drawn = try await bench.flourish(["inspect", "half.jpg", "--draw", "seen.png"])
            #expect(drawn.exitCode == 0 && drawn.errorLines.count { $0.contains("the picture is truncated") } == 1)
            #expect(try await bench.flourish(["inspect", "half.jpg", "--quiet"]).standardError.isEmpty)
        }
    }

    @Test func aBadInputDoesNotBlockTheOthers() async throws {
        try await Workbench.with { bench in
            for name in ["a.png", "c.png"] {
                try await bench.ffmpeg(["-f", "lavfi", "-i", "color=gray:s=320x180", "-frames:v", "1", name])
            }
            try bench.write("no picture", as: "b.png")
            let result = try await bench.flourish(["inspect", "a.png", "b.png", "none.png", "c.png", "--json"])
            #expect(result.exitCode == 65)
            #expect(try result.jsonLines().map { $0["input"]?.string } == ["a.png", "c.png"])
            #expect(result.errorLines.count == 2)
            for (line, name) in zip(result.errorLines, ["b.png", "none.png"]) {
                #expect(line.hasPrefix("flourish: \(name): "), "\(line)")
            }
        }
    }

    @Test func anImageWithoutHandsReportsIt() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(["-f", "lavfi", "-i", "color=gray:s=320x180", "-frames:v", "1", "still.png"])
            let lines = try await bench.flourish(["inspect", "still.png", "--json"]).jsonLines()
            #expect(lines.count == 1)
            for line in lines { try check(line) }
            #expect(lines.first?["hands"] == .array([]))
            #expect(lines.first?["gesture"] == .null)
        }
    }
}
