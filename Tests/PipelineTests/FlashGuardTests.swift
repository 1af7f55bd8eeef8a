import Foundation
import MediaIO
@testable import Pipeline
import Raster
import Reactions
import Testing
import TestSupport

/// Effects that flash too often are weakened, and all others are drawn as they are.
@Suite("Limit of flashes")
struct FlashGuardTests {
    private let pool = FramePool()
    private static let rate = 25

    /// An effect that is alternately transparent and opaque, five times a second.
    private static func strobe(_ colour: String) -> String {
        let steps = Array(repeating: "0, 1", count: 30).joined(separator: ", ")
        return """
            {"type": "strobe", "duration": 6, "exit": 0,
             "emitters": [{"count": 1, "anchor": "frame", "x": 0.5, "y": 0.5, "life": 6, "shape": "disc", "size": 4,
               "colours": ["\(colour)"], "opacityOverLife": [\(steps)]}]}
            """
    }

    private func engine(
        _ types: [String], folder: URL?, limits: Bool, tiles: [LayoutTile] = [], at place: PicturePoint? = nil,
        drawing: ReactionEngine.Setup.Drawing = .onFrames
    ) throws -> ReactionEngine {
        try engine(types.map { ($0, place) }, folder: folder, limits: limits, tiles: tiles, drawing: drawing)
    }

    private func engine(
        _ reactions: [(type: String, place: PicturePoint?)], folder: URL?, limits: Bool, tiles: [LayoutTile],
        drawing: ReactionEngine.Setup.Drawing = .onFrames
    ) throws -> ReactionEngine {
        var resources = Resources(assets: Repository.root.appending(path: "Assets").path)
        if let folder { resources.effectFolders = [folder.path] }
        let catalog = try EffectCatalog(resources: resources)
        var setup = ReactionEngine.Setup(
            catalog: catalog, configuration: Configuration(), resources: Resources(), pool: pool)
        setup.schedule = reactions.map {
            ScheduledRequest(ScheduledReaction(ReactionType(rawValue: $0.type), at: 0.2, origin: $0.place))
        }
        setup.layouts = tiles.isEmpty ? nil : LayoutTimeline([.init(startTime: 0, tiles: tiles)])
        setup.avoidsFaces = false
        setup.drawing = drawing
        setup.limitsFlashes = limits
        return ReactionEngine(setup)
    }

    private struct Outcome {
        var meter = FlashMeter(rate: FlashGuardTests.rate)
        var warnings: [String] = []
        var checksums: [String] = []
    }

    private func draw(
        _ engine: ReactionEngine, seconds: Double = 6, size: (Int, Int) = (160, 90), luma: Int = 60,
        part: LayoutTile? = nil
    ) throws -> Outcome {
        var outcome = Outcome()
        for index in 0..<Int(seconds * Double(Self.rate)) {
            let time = MediaTime(value: Int64(index), timeBase: Rational(1, Int32(Self.rate)))
            var frame = try VideoFrame(
                format: PictureFormat(width: size.0, height: size.1), time: time, pool: pool)
            try frame.withMutablePicture(pool: pool) { picture in
                for plane in Plane.allCases {
                    picture.with8BitPlane(plane) { samples, _ in
                        for i in samples.indices { samples[i] = plane == .luma ? UInt8(luma) : 128 }
                    }
                }
            }
            var item = PipelineFrame(frame: frame, id: index, time: time.seconds)
            #expect(
                try engine.process(&item, EngineSwitches(Configuration())) { EngineRequests(style: ReactionStyle()) })
            for case .warning(.flashesLimited, let message) in item.plan.events.map(\.kind) {
                outcome.warnings.append(message)
            }
            let drawn = item.takeFrame()
            outcome.checksums.append("\(drawn.checksum)")
            let shown = if let part { try drawn.region(part.region(of: drawn)) } else { try drawn.shared() }
            outcome.meter.add(shown.withPicture { Self.light($0) })
        }
        return outcome
    }

    /// The light of a grid of cells, a sample in the middle of each.
    private static func light(_ picture: borrowing Picture) -> [FlashMeter.Light] {
        let format = picture.format
        func code(_ plane: Plane, _ x: Double, _ y: Double) -> Double {
            picture.with8BitPlane(plane) { samples, stride in
                let column = Int(x * Double(format.width(of: plane))), row = Int(y * Double(format.height(of: plane)))
                return Double(samples[row * stride + column])
            }
        }
        var cells: [FlashMeter.Light] = []
        for row in 0..<FlashMeter.rows {
            for column in 0..<FlashMeter.columns {
                let x = (Double(column) + 0.5) / Double(FlashMeter.columns)
                let y = (Double(row) + 0.5) / Double(FlashMeter.rows)
                let luma = (code(.luma, x, y) - 16) / 219
                let (cb, cr) = ((code(.cb, x, y) - 128) / 224, (code(.cr, x, y) - 128) / 224)
                func linear(_ code: Double) -> Double {
                    let v = min(max(code, 0), 1)
                    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)
                }
                cells.append(
                    FlashMeter.Light(
                        red: linear(luma + 1.5748 * cr), green: linear(luma - 0.1873 * cb - 0.4681 * cr),
                        blue: linear(luma + 1.8556 * cb)))
            }
        }
        return cells
    }

    private func with(_ descriptions: [String: String], _ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "flashes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, json) in descriptions {
            try Data(json.utf8).write(to: folder.appending(path: "\(name).json"))
        }
        try body(folder)
    }

    @Test(arguments: ["#ffffff", "#000000"], [60, 200])
    func anEffectThatFlashesTooOftenIsWeakened(_ colour: String, _ luma: Int) throws {
        try with(["strobe": Self.strobe(colour)]) { folder in
            let free = try draw(engine(["strobe"], folder: folder, limits: false), luma: luma)
            let limited = try draw(engine(["strobe"], folder: folder, limits: true), luma: luma)
            // Black on a dark wall changes its luminance by less than a tenth.
            let flashes = colour != "#000000" || luma > 60
            #expect((free.meter.flashes() > 3) == flashes, "\(free.meter.flashes())")
            #expect(free.warnings.isEmpty)
            #expect(limited.meter.flashes() <= 3, "\(limited.meter.flashes())")
            #expect(limited.warnings.isEmpty != flashes)
            // It is hidden for a second before it returns.
            #expect(limited.warnings.count <= 5)
            #expect(limited.warnings.allSatisfy { $0.hasPrefix("strobe: weakened") })
            #expect((limited.checksums == free.checksums) != flashes)
            // The first flashes are shown in full.
            #expect(limited.checksums.prefix(15) == free.checksums.prefix(15))
        }
    }

    @Test func saturatedRedIsLimited() throws {
        try with(["strobe": Self.strobe("#b00000")]) { folder in
            let free = try draw(engine(["strobe"], folder: folder, limits: false), luma: 30)
            let limited = try draw(engine(["strobe"], folder: folder, limits: true), luma: 30)
            #expect(free.meter.redFlashes() > 3)
            #expect(limited.meter.redFlashes() <= 3)
            #expect(limited.warnings.first?.contains("saturated red") == true)
        }
    }

    @Test func overlappingEffectsAreLimitedTogether() throws {
        // Each flashes 2.7 times a second, at different times.
        func pulses(_ name: String, _ steps: String) -> String {
            """
            {"type": "\(name)", "duration": 4.4, "exit": 0,
             "emitters": [{"count": 1, "anchor": "frame", "x": 0.5, "y": 0.5, "life": 4.4, "shape": "disc", "size": 4,
               "colours": ["#ffffff"], "opacityOverLife": [\(Array(repeating: steps, count: 12).joined(separator: ", "))]}]}
            """
        }
        try with(["one": pulses("one", "0, 0, 0, 1, 0"), "two": pulses("two", "0, 1, 0, 0, 0")]) { folder in
            for name in ["one", "two"] {
                let alone = try draw(engine([name], folder: folder, limits: true))
                #expect(alone.warnings.isEmpty)
            }
            let free = try draw(engine(["one", "two"], folder: folder, limits: false))
            let limited = try draw(engine(["one", "two"], folder: folder, limits: true))
            #expect(free.meter.flashes() > 3)
            #expect(limited.meter.flashes() <= 3)
            #expect(limited.warnings.first?.hasPrefix("one, two: weakened") == true)
        }
    }

    @Test func theSameFramesGiveTheSamePictures() throws {
        try with(["strobe": Self.strobe("#ffffff")]) { folder in
            let first = try draw(engine(["strobe"], folder: folder, limits: true), seconds: 3)
            let second = try draw(engine(["strobe"], folder: folder, limits: true), seconds: 3)
            #expect(first.checksums == second.checksums)
        }
    }

    @Test func onlyTheTileThatFlashesIsWeakened() throws {
        let left = LayoutTile(id: 1, x: 0, y: 0, width: 0.5, height: 1)
        let right = LayoutTile(id: 2, x: 0.5, y: 0, width: 0.5, height: 1)
        try with(["strobe": Self.strobe("#ffffff")]) { folder in
            let place = PicturePoint(x: 0.75, y: 0.5)
            let tiles = [left, right]
            let free = try draw(
                engine(["strobe"], folder: folder, limits: false, tiles: tiles, at: place), part: right)
            let limited = try draw(
                engine(["strobe"], folder: folder, limits: true, tiles: tiles, at: place), part: right)
            #expect(free.meter.flashes() > 3)
            #expect(limited.meter.flashes() <= 3)
            #expect(limited.warnings.first?.contains("in tile 2") == true)
        }
    }

    /// The effect of one tile was weakened and has ended, while that of another tile is still there.
    @Test func effectsOfOtherTilesStayAsTheyAre() throws {
        let left = LayoutTile(id: 1, x: 0, y: 0, width: 0.5, height: 1)
        let right = LayoutTile(id: 2, x: 0.5, y: 0, width: 0.5, height: 1)
        let calm = """
            {"type": "calm", "duration": 6, "exit": 0,
             "emitters": [{"count": 1, "anchor": "frame", "x": 0.5, "y": 0.5, "life": 6, "shape": "disc", "size": 4,
               "colours": ["#ffffff"]}]}
            """
        try with(["strobe": Self.strobe("#ffffff").replacing("6", with: "3"), "calm": calm]) { folder in
            func outcome(limits: Bool) throws -> Outcome {
                try draw(
                    engine(
                        [("strobe", PicturePoint(x: 0.75, y: 0.5)), ("calm", PicturePoint(x: 0.25, y: 0.5))],
                        folder: folder, limits: limits, tiles: [left, right]))
            }
            let free = try outcome(limits: false), limited = try outcome(limits: true)
            #expect(limited.warnings.first?.contains("in tile 2") == true)
            #expect(limited.checksums != free.checksums)
            // The strobe ends at 3.2 s.
            #expect(limited.checksums.dropFirst(82) == free.checksums.dropFirst(82))
        }
    }

    @Test(arguments: ["#ffffff", "#000000"])
    func overlaysAreLimited(_ colour: String) throws {
        try with(["strobe": Self.strobe(colour)]) { folder in
            let free = try alphas(engine(["strobe"], folder: folder, limits: false, drawing: .alone))
            let limited = try alphas(engine(["strobe"], folder: folder, limits: true, drawing: .alone))
            let isDark = colour == "#000000"
            #expect(Self.flashes(free, isDark: isDark) > 3)
            #expect(Self.flashes(limited, isDark: isDark) <= 3)
        }
    }

    /// The opacity in the middle of each frame of an overlay, 0…1.
    private func alphas(_ engine: ReactionEngine) throws -> [Double] {
        try (0..<6 * Self.rate).map { index in
            let time = MediaTime(value: Int64(index), timeBase: Rational(1, Int32(Self.rate)))
            let frame = try VideoFrame(format: PictureFormat(width: 64, height: 36), time: time, pool: pool)
            var item = PipelineFrame(frame: frame, id: index, time: time.seconds)
            #expect(
                try engine.process(&item, EngineSwitches(Configuration())) { EngineRequests(style: ReactionStyle()) })
            if item.isEmpty { return 0 }
            var overlay = item.takeFrame()
            return try overlay.withTransparentPicture(pool: pool) { _, alpha, stride in
                Double(alpha[18 * stride + 32]) / 1023
            }
        }
    }

    /// The largest number of flashes within a second of white over black, or of black over white.
    private static func flashes(_ alphas: [Double], isDark: Bool) -> Int {
        var meter = FlashMeter(rate: rate)
        for alpha in alphas {
            let grey = pow(isDark ? 1 - alpha : alpha, 2.2)
            let light = FlashMeter.Light(red: grey, green: grey, blue: grey)
            meter.add(Array(repeating: light, count: FlashMeter.columns * FlashMeter.rows))
        }
        return meter.flashes()
    }

    @Test(arguments: ReactionType.builtIn.map { [$0.rawValue] } + [ReactionType.builtIn.map(\.rawValue)])
    func builtInEffectsAreNeverWeakened(_ types: [String]) throws {
        for luma in types.count > 1 ? [40] : [40, 150] {
            let free = try draw(engine(types, folder: nil, limits: false), size: (192, 108), luma: luma)
            let limited = try draw(engine(types, folder: nil, limits: true), size: (192, 108), luma: luma)
            #expect(limited.warnings.isEmpty)
            #expect(limited.checksums == free.checksums)
        }
    }
}
