import MediaIO
@testable import Pipeline
import Testing

@Suite("Routes of a run")
struct RunRouteTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: RunRoute.Kind
        var preparation: RunRoute.Preparation?
        var reason: String?
        var change: @Sendable (inout RunRoute.Facts) -> Void
    }

    private static let cases = [
        Case(testDescription: "a recording", kind: .smart) { _ in },
        Case(testDescription: "with a plan", kind: .smart, preparation: .index) {
            ($0.findsGestures, $0.hasPlan) = (false, true)
        },
        Case(testDescription: "with a plan and photographs", kind: .smart, preparation: .indexAndPhotographs) {
            ($0.findsGestures, $0.hasPlan, $0.photographsSchedule) = (false, true, true)
        },
        Case(testDescription: "photographs without gestures", kind: .smart, preparation: .analysis) {
            ($0.findsGestures, $0.photographsSchedule) = (false, true)
        },
        Case(testDescription: "places without gestures", kind: .smart, preparation: .analysis) {
            ($0.findsGestures, $0.findsTiles) = (false, true)
        },
        Case(testDescription: "an overlay of places without gestures", kind: .overlay, preparation: .analysis) {
            ($0.output, $0.findsGestures, $0.findsTiles) = (.overlay, false, true)
        },
        Case(testDescription: "smart rendering demanded", kind: .smart) { $0.preference = .always },
        Case(testDescription: "never", kind: .singlePass) { $0.preference = .never },
        Case(testDescription: "never, live", kind: .live) { ($0.preference, $0.isLive) = (.never, true) },
        Case(testDescription: "live", kind: .live, reason: "a live run processes frames as they arrive") {
            $0.isLive = true
        },
        Case(testDescription: "steered", kind: .singlePass, reason: "--control") { $0.isSteered = true },
        Case(testDescription: "from a pipe", kind: .singlePass, reason: "read twice") { $0.inputIsFile = false },
        Case(testDescription: "to a pipe", kind: .singlePass, reason: "the output is not a file") {
            $0.outputIsFile = false
        },
        Case(testDescription: "photographs with effects", kind: .singlePass, reason: "photographs") {
            $0.photographsEffects = true
        },
        Case(testDescription: "hold ring", kind: .singlePass, reason: "--hold-ring") { $0.drawsHoldRings = true },
        Case(
            testDescription: "a video effect", kind: .analyseThenEncode, reason: "--portrait changes all frames"
        ) { $0.videoEffect = "--portrait" },
        Case(testDescription: "a video effect of a live run", kind: .live, reason: "a live run") {
            ($0.videoEffect, $0.isLive) = ("--portrait", true)
        },
        Case(testDescription: "statistics", kind: .singlePass, reason: "--stats") { $0.measuresLatency = true },
        Case(testDescription: "an encoder option", kind: .analyseThenEncode, reason: "--crf applies to the whole video")
        {
            $0.encoderOption = "--crf"
        },
        Case(testDescription: "an encoder option with a plan", kind: .singlePass, reason: "--crf") {
            ($0.encoderOption, $0.findsGestures) = ("--crf", false)
        },
        Case(
            testDescription: "a container of another kind", kind: .analyseThenEncode,
            reason: "does not keep exact time stamps"
        ) {
            $0.probedUnavailable = SmartRenderUnavailable("AVI does not keep exact time stamps")
        },
        Case(testDescription: "an overlay", kind: .overlay) { $0.output = .overlay },
        Case(testDescription: "an overlay with a plan", kind: .overlay, preparation: .index) {
            ($0.output, $0.findsGestures, $0.hasPlan) = (.pictures, false, true)
        },
        Case(testDescription: "an overlay with encoder options", kind: .overlay) {
            ($0.output, $0.encoderOption) = (.overlay, "--codec")
        },
        Case(testDescription: "an overlay from a pipe", kind: .singlePass) {
            ($0.output, $0.inputIsFile) = (.overlay, false)
        },
    ]

    @Test(arguments: cases)
    private func aRouteFollowsFromTheFacts(_ expected: Case) {
        var facts = RunRoute.Facts()
        expected.change(&facts)
        let route = RunRoute.choose(facts)
        #expect(route.kind == expected.kind)
        if let preparation = expected.preparation { #expect(route.preparation == preparation) }
        #expect((route.reason == nil) == (expected.reason == nil))
        #expect(route.reason?.description.contains(expected.reason ?? "") != false)
        if let reason = route.reason { #expect(route.explanation.hasSuffix("since \(reason)")) }
    }

    /// Packets rule out copying only later; reactions are found in the same way by then.
    @Test func aRefusedCopyIsEncodedAsAWhole() {
        let reason = SmartRenderUnavailable("it may be interlaced")
        var facts = RunRoute.Facts()
        #expect(
            RunRoute.whole(facts, because: reason)
                == RunRoute(kind: .analyseThenEncode, preparation: .analysis, reason: reason))
        facts.findsGestures = false
        #expect(RunRoute.whole(facts, because: reason) == RunRoute(kind: .singlePass, reason: reason))
    }
}
