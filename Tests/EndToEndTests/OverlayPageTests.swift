import FlourishControl
import Foundation
import Testing
import TestSupport

/// The page of the browser source, in a real browser.
@Suite(
    "The browser source in Chromium",
    .enabled(if: Chromium.program != nil, "Chromium is not installed (apt-get install chromium)"),
    .serialized, .timeLimit(.minutes(Hang.minutes)))
struct OverlayPageTests {
    private static let reactions = [
        "thumbsUp", "thumbsDown", "balloons", "heart", "fireworks", "rain", "confetti", "lasers",
    ]
    private static let width = 320, height = 180

    /// The share of the page's pixels on which the effects in progress are drawn now.
    private static let coverage = """
        (() => {
          const now = seconds(), { gl } = overlay.canvas;
          overlay.draw([...overlay.effects.values()], (instance) => now + instance.clock);
          const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
          const pixels = new Uint8Array(width * height * 4);
          gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
          let count = 0;
          for (let i = 3; i < pixels.length; i += 4) if (pixels[i] > 0) count++;
          return count / (width * height);
        })()
        """

    private func picture(_ run: PanelRun) async throws -> TransparentPicture {
        try await OverlayPage.screenshot(run.browser, width: Self.width, height: Self.height, in: run.bench)
    }

    @Test func eachReactionIsDrawnOnATransparentPage() async throws {
        try await PanelRun.with("--no-gestures --live") { run in
            let browser = run.browser
            try await OverlayPage.prepare(browser, width: Self.width, height: Self.height)
            try await run.openOverlay()
            #expect(try await picture(run).coverage == 0)
            let client = try run.client()
            for reaction in Self.reactions {
                _ = try client.ask(["command": .text("perform"), "reactionType": .text(reaction)])
                #expect(try await browser.waits(for: "\(Self.coverage) > 0.01"), "\(reaction)")
                // A page that is opened meanwhile joins in.
                if reaction == "balloons" {
                    #expect(try await browser.waits(for: "\(Self.coverage) > 0.05"))
                    // It is extended until a slow browser has opened the page.
                    let extending = Task {
                        while !Task.isCancelled {
                            _ = try? run.client().ask(["command": .text("perform"), "reactionType": .text(reaction)])
                            try? await Task.sleep(for: .seconds(1))
                        }
                    }
                    try await run.openOverlay()
                    #expect(try await browser.waits(for: "\(Self.coverage) > 0.05"))
                    let drawn = try await picture(run).coverage
                    #expect(drawn > 0.05 && drawn < 0.9)
                    extending.cancel()
                    await extending.value
                }
                _ = try client.ask(["command": .text("cancel")])
                #expect(
                    try await browser.waits(for: "overlay.effects.size === 0 && \(Self.coverage) === 0"), "\(reaction)")
            }
            // An effect ends by itself, too, and leaves nothing.
            _ = try client.ask(["command": .text("perform"), "reactionType": .text("thumbsUp")])
            #expect(try await browser.waits(for: "\(Self.coverage) > 0.05"))
            #expect(try await browser.waits(for: "overlay.effects.size === 0 && !overlay.isAwake"))
            #expect(try await picture(run).coverage == 0)
            #expect(browser.complaints == [])
        }
    }

    @Test func thePageFollowsTheSettings() async throws {
        try await PanelRun.with("--no-gestures --palette '#0000ff' --seed 7") { run in
            let browser = run.browser
            try await OverlayPage.prepare(browser, width: Self.width, height: Self.height)
            try await run.openOverlay()
            #expect(try await browser.evaluate("overlay.library.seed").string == "7")
            let colours = "String(overlay.library.effects.balloons.emitters[0].colours)"
            #expect(try await browser.evaluate(colours).string?.hasPrefix("0,0,1,0,0,1") == true)
            #expect(try await browser.evaluate("overlay.library.effects.confetti.emitters.length").integer ?? 0 > 5)
            let client = try run.client()
            _ = try client.ask(["command": .text("set"), "name": .text("calm"), "value": .flag(true)])
            #expect(try await browser.waits(for: "overlay.library.effects.confetti.emitters.length <= 3"))
            _ = try client.ask(["command": .text("perform"), "reactionType": .text("confetti")])
            #expect(try await browser.waits(for: "\(Self.coverage) > 0.005 && \(Self.coverage) < 0.1"))
            #expect(browser.complaints == [])
        }
    }

    @Test func thePageFollowsTheNextRunAtItsAddress() async throws {
        let options = "--no-gestures --panel-token token"
        try await PanelRun.with(options) { run in
            let browser = run.browser
            try await OverlayPage.prepare(browser, width: Self.width, height: Self.height)
            try await run.openOverlay()
            _ = try run.client().ask(["command": .text("perform"), "reactionType": .text("balloons")])
            #expect(try await browser.waits(for: "\(Self.coverage) > 0.05"))
            let next = try await run.startAgain(options)
            defer { next.send(signal: SIGKILL) }
            // The new run has no effects, so those of the old one end.
            #expect(try await browser.waits(for: "overlay.effects.size === 0 && \(Self.coverage) === 0"))
            // The new run refuses it until its first frame.
            try await Hang.wait(milliseconds: 50) {
                next.isRunning
                    && (try? run.client().ask(["command": .text("perform"), "reactionType": .text("heart")])) == nil
            }
            #expect(try await browser.waits(for: "\(Self.coverage) > 0.01"))
        }
    }

    /// The same effect at the same times, drawn by the program and by the page.
    @Test func theDrawingIsThatOfTheProgram() async throws {
        let rate = 4, frames = [3, 6, 11]
        try await PanelRun.with { run in
            let bench = run.bench
            try await OverlayPage.prepare(run.browser, width: Self.width, height: Self.height)
            try await run.openOverlay("?dim=1")
            for reaction in Self.reactions {
                let made = try await bench.shell(
                    """
                    ffmpeg -f lavfi -i color=gray:s=\(Self.width)x\(Self.height):r=\(rate):d=3 grey.mkv
                    flourish grey.mkv - --overlay --no-gestures --reaction \(reaction)@0 --output-format rawvideo \
                      --events \(reaction).jsonl > drawn.rgba
                    rm grey.mkv
                    """)
                try #require(made.exitCode == 0, "\(made.standardError)")
                let events = try EventLines(String(decoding: bench.bytes("\(reaction).jsonl"), as: UTF8.self))
                let start = try #require(
                    events.text.split(separator: "\n").first { $0.contains("\"event\":\"effectStarted\"") })
                let bytes = [UInt8](try bench.bytes("drawn.rgba"))
                let size = Self.width * Self.height * 4
                for frame in frames {
                    let drawn = TransparentPicture(
                        width: Self.width, height: Self.height, pixels: Array(bytes[frame * size..<(frame + 1) * size]))
                    let page = try await OverlayPage.still(
                        run.browser, of: String(start), at: Double(frame) / Double(rate), width: Self.width,
                        height: Self.height, in: bench)
                    compare(page, drawn, "\(reaction), frame \(frame)")
                }
            }
        }
    }

    private func compare(_ page: TransparentPicture, _ drawn: TransparentPicture, _ name: String) {
        let (a, b) = (page.impression, drawn.impression)
        #expect(abs(a.opacity - b.opacity) < 0.01, "\(name): opacity \(a.opacity), \(b.opacity)")
        for channel in 0..<3 {
            #expect(abs(a.colour[channel] - b.colour[channel]) < 0.01, "\(name): \(a.colour), \(b.colour)")
        }
        #expect(abs(a.x - b.x) < 0.01 && abs(a.y - b.y) < 0.01, "\(name): centre \(a.x) \(a.y), \(b.x) \(b.y)")
        #expect(zip(a.box, b.box).allSatisfy { abs($0 - $1) < 0.03 }, "\(name): box \(a.box), \(b.box)")
        #expect(page.difference(from: drawn) < 0.01, "\(name): \(page.difference(from: drawn))")
    }
}
