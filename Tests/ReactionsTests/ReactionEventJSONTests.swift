import Testing

@testable import Reactions

@Suite struct ReactionEventJSONTests {
    @Test func aStartedEffectHasTheFieldsOfTheContract() {
        let event = ReactionEvent(
            time: 2.5333333333, frame: 76,
            kind: .effectStarted(
                .init(
                    id: 1, reactionType: .thumbsUp, trigger: .gesture, gesture: .thumbsUp,
                    origin: PicturePoint(x: 0.31249, y: 0.5), startTime: 2.5333333333)))
        #expect(
            event.jsonLine == """
                {"endTime":null,"event":"effectStarted","frame":76,"gesture":"thumbsUp","id":1,\
                "origin":{"x":0.312,"y":0.5},"reactionType":"thumbsUp","schema":1,"startTime":2.533333,\
                "systemImageName":"hand.thumbsup.fill","time":2.533333,"trigger":"gesture"}
                """)
    }

    @Test func aCandidateHasTheFieldsOfTheContract() {
        let event = ReactionEvent(
            time: 1.5, frame: 45,
            kind: .candidate(
                .init(
                    gesture: .twoThumbsUp, handCount: 2, confidence: 0.6244, origin: PicturePoint(x: 0.5, y: 0.25),
                    heldSince: 0.5, heldUntil: 1.2, hold: 1, reason: .heldTooBriefly)))
        #expect(
            event.jsonLine == """
                {"confidence":0.624,"event":"candidate","frame":45,"gesture":"twoThumbsUp","hands":2,"held":0.7,\
                "heldSince":0.5,"heldUntil":1.2,"hold":1,"origin":{"x":0.5,"y":0.25},"reason":"heldTooBriefly",\
                "schema":1,"time":1.5}
                """)
    }

    @Test func unknownValuesAreNullAndNumbersFinite() {
        let event = ReactionEvent(
            time: .nan, frame: 0,
            kind: .streamStarted(
                .init(
                    input: "a/b \"c\".mp4", width: 2, height: 2, frameRate: nil,
                    availableReactionTypes: [.rain], gesturesEnabled: true, reactionsEnabled: true,
                    frameRateDuringEffects: nil)))
        #expect(event.jsonLine.contains(#""frameRate":null"#))
        #expect(event.jsonLine.contains(#""input":"a/b \"c\".mp4""#))
        #expect(event.jsonLine.contains(#""time":0"#))
    }

    @Test func everyGestureHasItsOwnTypeAndEveryTypeAnImage() {
        let gestures = ReactionType.builtIn.compactMap(\.gesture)
        #expect(Set(gestures) == Set(ReactionGesture.allCases))
        #expect(ReactionType.builtIn.allSatisfy { $0.systemImageName != nil })
        #expect(ReactionType(rawValue: "snow").systemImageName == nil, "AVFoundation has no symbol for it")
    }
}
