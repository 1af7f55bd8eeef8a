import MediaIO
@testable import Pipeline
import Reactions
import Testing

@Suite("Routes of a run")
struct RunRouteTests {
    /// The route that is expected, without its reason.
    private enum Expected: Sendable { case live, singlePass, analyseThenEncode, smart, overlay }

    private struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: Expected
        var needsAnalysis: Bool?
        var reason: String?
        var input = #filePath
        var output = "out.mp4"
        var hasPlan = false
        var probed: SmartRenderUnavailable?
        var change: @Sendable (inout Configuration) -> Void = { _ in }
    }

    private static let placed = ScheduledReaction(.heart, at: 1, origin: PicturePoint(x: 0.5, y: 0.5))
    private static let photos = PhotoOptions(folder: "photos")

    private static let cases = [
        Case(testDescription: "a recording", expected: .smart, needsAnalysis: true),
        Case(testDescription: "with a plan", expected: .smart, needsAnalysis: false, hasPlan: true),
        Case(testDescription: "with a plan and photographs", expected: .smart, needsAnalysis: false, hasPlan: true) {
            $0.photos = photos
        },
        Case(testDescription: "photographs without gestures", expected: .smart, needsAnalysis: true) {
            $0.gesturesEnabled = false
            $0.scheduledReactions = [ScheduledReaction(.heart, at: 1)]
            $0.photos = photos
        },
        Case(testDescription: "places without gestures", expected: .smart, needsAnalysis: true) {
            ($0.gesturesEnabled, $0.scheduledReactions) = (false, [placed])
        },
        Case(testDescription: "neither gestures nor places", expected: .smart, needsAnalysis: false) {
            $0.gesturesEnabled = false
        },
        Case(testDescription: "an overlay of places", expected: .overlay, needsAnalysis: true) {
            ($0.writesOverlay, $0.gesturesEnabled, $0.scheduledReactions) = (true, false, [placed])
        },
        Case(testDescription: "smart rendering demanded", expected: .smart) { $0.encoding.smartRender = .always },
        Case(testDescription: "never", expected: .singlePass) { $0.encoding.smartRender = .never },
        Case(testDescription: "never, live", expected: .live) {
            ($0.encoding.smartRender, $0.isLive) = (.never, true)
        },
        Case(testDescription: "live", expected: .live, reason: "a live run processes frames as they arrive") {
            $0.isLive = true
        },
        Case(testDescription: "steered", expected: .singlePass, reason: "--control") { $0.isSteered = true },
        Case(testDescription: "from a pipe", expected: .singlePass, reason: "read twice", input: "-"),
        Case(testDescription: "to a pipe", expected: .singlePass, reason: "the output is not a file", output: "-"),
        Case(testDescription: "photographs with effects", expected: .singlePass, reason: "photographs") {
            $0.photos = photos
            $0.photos?.content = .withEffects
        },
        Case(testDescription: "hold ring", expected: .singlePass, reason: "--hold-ring") { $0.holdRing = .output },
        Case(
            testDescription: "a video effect", expected: .analyseThenEncode, reason: "--portrait changes all frames"
        ) { $0.videoEffects.portrait = 0.5 },
        Case(
            testDescription: "auto framing", expected: .analyseThenEncode, reason: "--auto-framing changes all frames"
        ) { $0.videoEffects.autoFraming = 0.5 },
        Case(testDescription: "photographs of what is framed", expected: .singlePass, reason: "--auto-framing shows") {
            ($0.videoEffects.autoFraming, $0.photos) = (0.5, photos)
        },
        Case(testDescription: "a video effect of a live run", expected: .live, reason: "a live run") {
            ($0.videoEffects.portrait, $0.isLive) = (0.5, true)
        },
        Case(testDescription: "statistics", expected: .singlePass, reason: "--stats") { $0.measuresLatency = true },
        Case(
            testDescription: "an encoder option", expected: .analyseThenEncode,
            reason: "--crf applies to the whole video"
        ) { $0.encoding.crf = 20 },
        Case(testDescription: "an encoder option with a plan", expected: .singlePass, reason: "--crf", hasPlan: true) {
            $0.encoding.crf = 20
        },
        Case(
            testDescription: "a container of another kind", expected: .analyseThenEncode,
            reason: "does not keep exact time stamps",
            probed: SmartRenderUnavailable("AVI does not keep exact time stamps")),
        Case(testDescription: "an overlay", expected: .overlay, output: "out.mov") { $0.writesOverlay = true },
        Case(
            testDescription: "an overlay with a plan", expected: .overlay, needsAnalysis: false, output: "%04d.png",
            hasPlan: true
        ) { $0.writesOverlay = true },
        Case(testDescription: "an overlay with encoder options", expected: .overlay) {
            ($0.writesOverlay, $0.encoding.crf) = (true, 20)
        },
        Case(testDescription: "an overlay from a pipe", expected: .singlePass, input: "-") { $0.writesOverlay = true },
    ]

    private static func pass(_ given: Case) -> RunPass {
        var configuration = Configuration()
        given.change(&configuration)
        let source = ReactionPlan.Source(
            path: given.input, size: 0, fingerprint: "", codec: "h264", width: 1, height: 1, frameRate: nil,
            timeBase: "1/25", startTime: 0, duration: 10, frames: 250)
        var plan = ReactionPlan(source: source, style: ReactionPlan.Style())
        plan.reactions = [ReactionPlan.Reaction(.heart, at: 1)]
        return RunPass(
            input: given.input, output: given.output, configuration: configuration,
            resources: Resources(), observer: SessionObserver(), plan: given.hasPlan ? plan : nil)
    }

    @Test(arguments: cases)
    private func aRouteFollowsFromTheRequest(_ given: Case) {
        let pass = Self.pass(given)
        let route = RunRoute(pass, probed: given.probed)
        let kind: Expected =
            switch route {
            case .onePass(let isLive, _): isLive ? .live : .singlePass
            case .analyseThenEncode: .analyseThenEncode
            case .smart: .smart
            case .overlay: .overlay
            }
        #expect(kind == given.expected)
        if let needsAnalysis = given.needsAnalysis { #expect(pass.needsAnalysis == needsAnalysis) }
        #expect((route.reason == nil) == (given.reason == nil))
        #expect(route.reason?.description.contains(given.reason ?? "") != false)
        if let reason = route.reason { #expect(route.explanation.hasSuffix("since \(reason)")) }
    }

    /// Packets rule out copying only later; reactions are found in the same way by then.
    @Test func aRefusedCopyIsEncodedAsAWhole() {
        let reason = SmartRenderUnavailable("it may be interlaced")
        var pass = Self.pass(Case(testDescription: "", expected: .smart))
        #expect(RunRoute.whole(pass, because: reason) == .analyseThenEncode(because: reason))
        pass.configuration.gesturesEnabled = false
        #expect(RunRoute.whole(pass, because: reason) == .onePass(isLive: false, because: reason))
    }
}
