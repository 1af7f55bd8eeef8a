import Foundation
import MediaIO
import Platform
import Raster
import Reactions
import TestSupport
import Testing

@testable import Flourish
@testable import Pipeline

/// The pictures of the browser source's page.
@Suite struct OverlayPainterTests {
    private static let width = 320, height = 180
    private let session: ReactionSession

    init() {
        var configuration = Configuration()
        configuration.resources = Resources(assets: Repository.root.appending(path: "Assets").path)
        configuration.seed = 7
        session = ReactionSession(configuration: configuration)
    }

    private func plan(of type: ReactionType, at time: Double, _ style: ReactionStyle = ReactionStyle()) -> FramePlan {
        var plan = FramePlan(time: time, id: 0)
        plan.effects = [
            PlannedEffect(
                id: 3, reactionType: type, startTime: 1, endTime: 4, origin: PicturePoint(x: 0.3, y: 0.6),
                trigger: .request, gesture: nil)
        ]
        plan.appearance.style = style
        return plan
    }

    /// Returns the frame of an overlay of the run.
    private func overlay(_ plan: FramePlan, by engine: ReactionEngine) throws -> RGBAImage? {
        let video = VideoStreamInfo(width: Self.width, height: Self.height, frameRate: Rational(30, 1))
        let time = MediaTime(seconds: plan.time), pool = FramePool()
        let format = try VideoFrame(undecoded: video, time: time, duration: nil).pictureFormat
        var frame = try VideoFrame(format: format, time: time, pool: pool)
        try frame.fill(pool: pool)
        var item = PipelineFrame(frame: frame, id: 0, time: plan.time)
        item.plan = plan
        try engine.draw(&item)
        return item.isEmpty ? nil : try item.frame.image()
    }

    @Test func picturesAreThoseOfAnOverlay() throws {
        let painter = try session.overlayEffects().painter(width: Self.width, height: Self.height, dimming: 1)
        let catalog = try EffectCatalog(resources: session.resources)
        var setup = ReactionEngine.Setup(
            catalog: catalog, configuration: session.configuration, resources: session.resources, pool: FramePool())
        setup.drawing = .alone
        let engine = ReactionEngine(setup)
        let blue = ReactionStyle(intensity: 0.5, isCalm: false, palette: try Palette(colours: ["#0000ff"]))
        var time = 1.0
        for (type, style) in [(ReactionType.balloons, ReactionStyle()), (.lasers, ReactionStyle()), (.confetti, blue)] {
            for _ in 0..<3 {
                time += 0.3
                let plan = plan(of: type, at: time, style)
                let shown = try #require(ShownEffects(plan))
                let image = try #require(try painter.image(of: shown, at: time))
                #expect(try overlay(plan, by: engine) == image, "\(type) at \(time)")
            }
        }
        #expect(try painter.image(of: #require(ShownEffects(plan(of: .heart, at: 9))), at: 9) == nil)
        #expect(ShownEffects(FramePlan(time: 9, id: 0)) == nil)
    }

    @Test func theDimmingIsWeakerOnRequest() throws {
        func opacity(_ dimming: Double) throws -> Int {
            let painter = try session.overlayEffects().painter(width: Self.width, height: Self.height, dimming: dimming)
            let shown = try #require(ShownEffects(plan(of: .rain, at: 2.5)))
            let image = try #require(try painter.image(of: shown, at: 2.5))
            return stride(from: 3, to: image.pixels.count, by: 4).reduce(0) { $0 + Int(image.pixels[$1]) }
        }
        let (none, some, all) = (try opacity(0), try opacity(0.6), try opacity(1))
        #expect(none < some && some < all)
    }

    @Test func onlyThePartThatIsNotEmptyIsSent() throws {
        var image = RGBAImage(width: 8, height: 6)
        #expect(OverlayPainter.Part(image) == nil)
        for (x, y) in [(2, 1), (5, 3)] {
            image.pixels.replaceSubrange((y * 8 + x) * 4..<(y * 8 + x) * 4 + 4, with: [9, 8, 7, 255])
        }
        let part = try #require(OverlayPainter.Part(image))
        #expect(part.left == 2 && part.top == 1 && part.width == 4 && part.height == 3)
        #expect(part.pixels.count == 4 * 3 * 4)
        let drawn: [UInt8] = [9, 8, 7, 255]
        #expect(part.pixels.starts(with: drawn) && part.pixels.reversed().starts(with: drawn.reversed()))
    }

    /// Between effects, pages wait for it instead of looking again and again.
    @Test func onlyTheBeginningOfEffectsWakesPages() async throws {
        let (wakes, reader) = AsyncStream.makeStream(of: Void.self)
        let number = session.control.effectsShown.add(reader)
        defer { session.control.effectsShown.remove(number) }
        let (empty, effect) = (FramePlan(time: 2, id: 0), plan(of: .balloons, at: 2.5))
        for plan in [empty, effect, effect, empty, effect] { session.control.publish(plan) }
        session.control.endEffects()
        session.control.publish(effect)
        reader.finish()
        var count = 0
        for await _ in wakes { count += 1 }
        #expect(count == 3)
    }

    @Test func nothingIsDrawnWithoutEffects() throws {
        let effects = try session.overlayEffects()
        let painter = effects.painter(width: Self.width, height: Self.height, dimming: 1)
        #expect(try !effects.areInProgress && painter.draw() == nil)
        session.control.publish(plan(of: .balloons, at: 2.5))
        #expect(try effects.areInProgress && painter.draw() != nil)
        session.control.endEffects()
        #expect(try !effects.areInProgress && painter.draw() == nil)
    }
}
