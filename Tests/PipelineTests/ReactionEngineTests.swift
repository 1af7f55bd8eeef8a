import Effects
import FoundationEssentials
import MediaIO
import Raster
import RateControl
import Reactions
import Synchronization
import TestSupport
import Testing
@testable import Vision

@testable import Pipeline

@Suite struct ReactionEngineTests {
    private let pool = FramePool()
    private let control = SessionControl(configuration: Configuration())

    private func engine(
        _ schedule: [ScheduledRequest] = [], change: (inout ReactionEngine.Setup) -> Void = { _ in }
    ) throws -> ReactionEngine {
        let resources = Resources(assets: Repository.root.appending(path: "Assets").path)
        let catalog = try EffectCatalog(resources: resources)
        var setup = ReactionEngine.Setup(
            catalog: catalog, configuration: Configuration(), resources: Resources(), pool: pool)
        setup.schedule = schedule
        setup.avoidsFaces = false
        change(&setup)
        return ReactionEngine(setup)
    }

    /// Processes frames, ten a second, each of which another owner shares, as with decoded frames.
    ///
    /// - Returns: a Boolean value for each frame that indicates whether its pixels had to be copied.
    private func copies(
        frames: Int, schedule: [ScheduledReaction] = [], before: (Int) throws -> Void = { _ in }
    ) throws -> String {
        let engine = try engine(schedule.map(ScheduledRequest.init))
        var drawn = ""
        for index in 0..<frames {
            try before(index)
            let time = MediaTime(value: Int64(index), timeBase: Rational(1, 10))
            let owner = try VideoFrame(
                format: PictureFormat(width: 64, height: 48), time: time, pool: pool)
            var item = PipelineFrame(frame: try owner.shared(), id: index, time: time.seconds)
            let count = pool.counts.copies
            let requests = { control.dequeueRequests(at: time.seconds) }
            #expect(
                try engine.process(&item, control.switches(at: item.time), requests: requests))
            drawn += pool.counts.copies > count ? "#" : "-"
        }
        return drawn
    }

    @Test func framesWithoutEffectAreNeverCopied() throws {
        #expect(try copies(frames: 20) == String(repeating: "-", count: 20))
        #expect(pool.counts.copies == 0)
    }

    @Test func framesOfAnEffectAreCopiedOnceEach() throws {
        let reaction = ScheduledReaction(.thumbsUp, at: 0.5)
        let drawn = try copies(frames: 60, schedule: [reaction])
        let during = drawn.drop { $0 == "-" }.prefix { $0 == "#" }
        #expect(drawn.hasPrefix("-----#"))
        #expect(during.count >= 30 && during.count <= 60 - 5)
        #expect(drawn.dropFirst(5 + during.count).allSatisfy { $0 == "-" })
        #expect(pool.counts.copies == during.count)
    }

    @Test func requestsOfADisabledSessionAreDropped() throws {
        control.state.withLock { $0.settings.reactionsEnabled = false }
        let drawn = try copies(frames: 10) { index in
            if index == 2 {
                control.request(.init(reactionType: .heart, origin: nil, trigger: .request, gesture: nil))
            }
            if index == 5 { control.state.withLock { $0.settings.reactionsEnabled = true } }
        }
        #expect(drawn == "----------")
    }

    /// Frames at 30 a second, with the hold of a thumb that will be complete at 0.3 s where a mark stands.
    ///
    /// - Parameter holds: of each frame: `h` a thumb is held, `!` its hold is complete, `.` neither.
    /// - Returns: of each frame: `a` an effect is announced, `#` one is shown, `.` neither.
    private func announced(_ holds: String) throws -> String {
        let engine = try engine()
        var seen = ""
        for (index, mark) in holds.enumerated() {
            let time = MediaTime(value: Int64(index), timeBase: Rational(1, 30))
            let frame = try VideoFrame(format: PictureFormat(width: 64, height: 48), time: time, pool: pool)
            var item = PipelineFrame(frame: frame, id: index, time: time.seconds)
            if mark == "h" { item.coming = ComingGesture(gesture: .thumbsUp, time: 0.3) }
            if mark == "!" {
                control.request(.init(reactionType: .thumbsUp, origin: nil, trigger: .gesture, gesture: .thumbsUp))
            }
            let requests = { control.dequeueRequests(at: time.seconds) }
            #expect(engine.plan(&item, control.switches(at: item.time), requests: requests))
            let plan = item.plan
            let (now, ahead) = (
                plan.demands.filter { $0.startTime <= time.seconds },
                plan.demands.filter { $0.startTime > time.seconds }
            )
            #expect(now.count + ahead.count <= 1, "an effect counts once")
            seen.append(now.isEmpty ? ahead.isEmpty ? "." : "a" : "#")
        }
        return seen
    }

    @Test(arguments: [
        ("hhhhhhhhh!....", "........a#####"),
        // The hand is lowered at the last moment.
        ("hhhhhhhhh.....", "........a....."),
        // The detection that completes the hold comes later than expected.
        ("hhhhhhhhhhh!hh", "........aaa###"),
        // A hold that is neither completed nor broken expires.
        ("hhhhhhhhhhhhhhhhhhhhhhh", "........aaaaaaaaaa....."),
        ("hhhhh..........", "..............."),
    ])
    func heldGesturesAreAnnounced(_ holds: String, _ seen: String) throws {
        #expect(try announced(holds) == seen)
    }

    @Test(
        "the hold ring is drawn on the frame only where it is asked for",
        arguments: HoldRingVisibility.allCases, [ReactionEngine.Setup.Drawing.onFrames, .alone])
    func holdRing(_ visibility: HoldRingVisibility, _ drawing: ReactionEngine.Setup.Drawing) throws {
        let engine = try engine { $0.drawing = drawing }
        control.state.withLock { $0.settings.holdRing = visibility }
        let count = pool.counts.copies
        let owner = try VideoFrame(
            format: PictureFormat(width: 64, height: 48), time: MediaTime(seconds: 0.6), pool: pool)
        var item = PipelineFrame(frame: try owner.shared(), id: 0, time: 0.6)
        item.coming = ComingGesture(
            .holding(.thumbsUp, elapsed: 0.6, hold: 1), at: 0.6, nextCompletion: nil,
            hands: [HandSpot(centre: PicturePoint(x: 0.3, y: 0.5), palmLength: PicturePoint(x: 0.1, y: 0.15))])
        control.state.withLock { $0.coming = item.coming }
        #expect(
            try engine.process(&item, control.switches(at: 0.6), requests: { control.dequeueRequests(at: 0.6) }))
        let isDrawn = drawing == .alone ? !item.isEmpty : pool.counts.copies > count
        #expect(isDrawn == (visibility == .output))
        #expect(control.previewRings(at: 0.6).isEmpty == (visibility != .preview))
        #expect(control.previewRings(at: 0.6).allSatisfy { (0.59...0.61).contains($0.progress) })
        // Lowering the hand aborts.
        control.state.withLock { $0.forgetHold() }
        #expect(control.previewRings(at: 0.7).isEmpty)
    }

    @Test("A change of a video effect is one event, and applies from its frame on")
    func videoEffects() throws {
        let engine = try engine()
        var events: [String] = [], portraits: [Double] = []
        for index in 0..<6 {
            if index == 2 { control.state.withLock { $0.settings.videoEffects.portrait = 0.6 } }
            if index == 4 { control.state.withLock { $0.settings.videoEffects = VideoEffects(studioLight: 0.5) } }
            let time = Double(index) / 10
            let frame = try VideoFrame(
                format: PictureFormat(width: 64, height: 48), time: MediaTime(seconds: time), pool: pool)
            var item = PipelineFrame(frame: frame, id: index, time: time)
            #expect(engine.needsPicture(at: time) == (index > 2))
            #expect(
                engine.plan(&item, control.switches(at: time), requests: { control.dequeueRequests(at: time) }))
            for event in item.plan.events {
                guard case .videoEffectsChanged(let effects) = event.kind else { continue }
                events.append("\(index) \(effects.portrait) \(effects.studioLight)")
            }
            portraits.append(item.plan.video.effects.portrait)
            #expect(item.plan.drawsOnFrame == (index >= 2))
        }
        #expect(events == ["2 0.6 0.0", "4 0.0 0.5"])
        #expect(portraits == [0, 0, 0.6, 0.6, 0, 0])
    }

    @Test("Hands are planned for video effects only")
    func handsOfVideoEffects() throws {
        let engine = try engine()
        let hand = SeenHand(
            outline: HandOutline(points: [SIMD2<Float>](repeating: SIMD2(0.5, 0.5), count: 21), confidence: 1), time: 0)
        var counts: [Int] = []
        for index in 0..<3 {
            control.state.withLock { $0.settings.videoEffects.portrait = index == 1 ? 0.6 : 0 }
            let time = Double(index) / 10
            let frame = try VideoFrame(
                format: PictureFormat(width: 64, height: 48), time: MediaTime(seconds: time), pool: pool)
            var item = PipelineFrame(frame: frame, id: index, time: time)
            item.hands = [hand]
            #expect(
                engine.plan(&item, control.switches(at: time), requests: { control.dequeueRequests(at: time) }))
            counts.append(item.plan.video.hands.count)
        }
        #expect(counts == [0, 1, 0])
    }

    @Test func effectsFromBeforeTheFirstFrameContinue() throws {
        let catalog = try EffectCatalog(resources: Resources(assets: Repository.root.appending(path: "Assets").path))
        let duration = try #require(catalog.presets[.rain]?.duration)
        func request(_ type: ReactionType, _ seconds: Double) -> ScheduledRequest {
            var request = ScheduledRequest(ScheduledReaction(type, at: 0))
            request.seconds = seconds
            return request
        }
        let engine = try engine([
            request(.rain, -1), request(.heart, -60), request(.balloons, 0.1),
            // Two that overlap become one that goes on.
            request(.confetti, -2), request(.confetti, -0.2),
        ])
        var seen: [[PlannedEffect]] = []
        for index in 0..<3 {
            let time = MediaTime(value: Int64(100 + index), timeBase: Rational(1, 10))
            let frame = try VideoFrame(format: PictureFormat(width: 64, height: 48), time: time, pool: pool)
            var item = PipelineFrame(frame: frame, id: index, time: time.seconds)
            let requests = { control.dequeueRequests(at: time.seconds) }
            #expect(engine.plan(&item, control.switches(at: item.time), requests: requests))
            seen.append(item.plan.effects)
        }
        #expect(seen[0].map(\.reactionType) == [.confetti, .rain])
        #expect(seen[0].map(\.startTime) == [8, 9] && seen[0][0].renewals.count == 1)
        #expect(seen[0][1].endTime == 9 + duration)
        #expect(seen[2].map(\.reactionType) == [.confetti, .rain, .balloons])
    }

    @Test func disabledGesturesAreNotAnnounced() throws {
        control.state.withLock { $0.settings.reactionsEnabled = false }
        #expect(try announced("hhhhhhhhhh") == "..........")
    }

    @Test(
        "Two engines draw on regions of a frame as on frames of their own",
        arguments: [ChromaSubsampling.yuv420, .yuv444])
    func regions(_ chroma: ChromaSubsampling) throws {
        let left = PictureRegion(columns: 0..<96, rows: 0..<80),
            right = PictureRegion(columns: 100..<196, rows: 10..<90)
        let setups: [(region: PictureRegion, reaction: ScheduledReaction)] = [
            (left, ScheduledReaction(.confetti, at: 0.1)), (right, ScheduledReaction(.heart, at: 0.2)),
        ]
        let together = try setups.map { try engine([ScheduledRequest($0.reaction)]) }
        let apart = try setups.map { try engine([ScheduledRequest($0.reaction)]) }
        let (switches, requests) = (EngineSwitches(Configuration()), EngineRequests(style: ReactionStyle()))
        var drawn = 0
        for index in 0..<12 {
            let time = MediaTime(value: Int64(index), timeBase: Rational(1, 10))
            let source = try VideoFrame.pattern(
                PictureFormat(width: 200, height: 96, chroma: chroma), at: time, pool: pool)
            var frame = try source.shared()
            for (number, setup) in setups.enumerated() {
                var part = PipelineFrame(frame: try frame.region(setup.region), id: index, time: time.seconds)
                #expect(try together[number].process(&part, switches) { requests })
                let isDrawnOn = !part.plan.effects.isEmpty
                let result = part.takeFrame()
                if isDrawnOn { try frame.replace(setup.region, with: result, pool: pool) }

                var own = PipelineFrame(
                    frame: try source.region(setup.region).copy(pool: pool), id: index, time: time.seconds)
                let before = own.frame.checksum
                #expect(try apart[number].process(&own, switches) { requests })
                let expected = own.takeFrame()
                #expect(try frame.region(setup.region).checksum == expected.checksum)
                drawn += expected.checksum == before ? 0 : 1
            }
            // Between the regions nothing changes, and without effects nothing is copied.
            let gap = PictureRegion(columns: 96..<100, rows: 0..<96)
            #expect(try frame.region(gap).checksum == source.region(gap).checksum)
            let isShared = !frame.isWritable
            if index == 0 { #expect(isShared, "the pixels are still the source's") }
        }
        #expect(drawn > 15)
    }
}
