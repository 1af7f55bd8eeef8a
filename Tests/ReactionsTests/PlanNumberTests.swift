import Reactions
import Testing

@Suite("Numbers of plans") struct PlanNumberTests {
    private static let source =
        #""source": {"path": "t\"1e99.mp4", "size": 10, "fingerprint": "murmur3:0", "codec": "h264","#

    /// Foundation's error for a number that its type cannot hold contains neither the number nor its place.
    @Test(arguments: [
        ("\"width\": 320.5, \"height\": 180", "line 4: the number 320.5 is too large, negative or not"),
        ("\"width\": 320, \"height\": 99999999999999999999", "line 4: the number 99999999999999999999 is too large"),
        ("\"width\": 1e3,\n\"height\": 1.25e1", "line 5: the number 1.25e1 is too large"),
    ])
    func outOfRangeNumbersAreNamed(_ size: String, _ words: String) throws {
        let json = """
            {
              "schema": 1,
            \(Self.source)
            \(size), "frameRate": 25.5, "timeBase": "1/25", "startTime": -0.5, "duration": 2, "frames": 50},
              "style": {"intensity": 0.5, "calm": false, "seed": 1},
              "reactions": []
            }
            """
        let error = try #require(throws: FlourishError.self) {
            try ReactionPlan(json: Array(json.utf8), name: "a.json")
        }
        #expect(error.message.hasPrefix("a.json: \(words)"), "\(error.message)")
    }
}
