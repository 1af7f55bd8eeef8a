import Reactions
import Testing

@testable import Effects

@Suite("Effect descriptions")
struct EffectDescriptionTests {
    private func parse(_ json: String) throws(EffectError) -> EffectDescription {
        try EffectDescription(json: Array(json.utf8), file: "x.json")
    }

    @Test("A minimal description is complete")
    func minimal() throws {
        let d = try parse(#"{"type": "x", "emitters": [{"count": 3, "size": [0.1, 0.2]}]}"#)
        #expect(d.type == "x")
        #expect(d.emitters.count == 1)
        #expect(d.emitters[0].appearance.size == .range(0.1, 0.2))
    }

    @Test(
        "Errors name the file, the key and the cause",
        arguments: [
            (#"{"type": "x", "emitters": [{"count": 3, "sise": 1}]}"#, "x.json: emitters[0].sise: unknown key"),
            (
                #"{"type": "x", "emitters": [{"count": 3, "size": "big"}]}"#,
                #"x.json: emitters[0].size: must be a number, [least, greatest] or {"fan": [first, last]}"#
            ),
            (
                #"{"type": "x", "emitters": [{"count": 3, "opacity": 2}]}"#,
                "x.json: emitters[0].opacity: must be between 0.0 and 1.0"
            ),
            (
                #"{"type": "x", "emitters": [{}]}"#,
                #"x.json: emitters[0].rate: an emitter requires a "count" or a "rate""#
            ),
            (
                #"{"type": "x", "emitters": [{"count": 1, "colours": ["red"]}]}"#,
                ##"x.json: emitters[0].colours[0]: "red" is not a colour such as "#ff8800""##
            ),
            (
                #"{"type": "x", "emitters": [{"count": 1, "shape": "cube"}]}"#,
                "x.json: emitters[0].shape: the value is unknown"
            ),
            (#"{"emitters": []}"#, "x.json: type: the key is missing"),
            (#"{"type": 7, "emitters": []}"#, "x.json: type: the value has the wrong type"),
            ("nonsense", "x.json: line 1: a value is expected instead of 'n'"),
        ])
    func errors(json: String, message: String) {
        let error = #expect(throws: EffectError.self) { try parse(json) }
        #expect(error?.description == message)
    }
}
