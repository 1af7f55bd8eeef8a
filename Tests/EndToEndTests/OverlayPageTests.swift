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

    /// The share of the canvas's pixels that the last frame covers.
    private static let coverage = """
        (() => {
          const { width, height } = overlay.element;
          const pixels = overlay.context.getImageData(0, 0, width, height).data;
          let count = 0;
          for (let i = 3; i < pixels.length; i += 4) if (pixels[i] > 0) count++;
          return count / (width * height);
        })()
        """

    /// The sums of red and of blue in the last frame, weighted by opacity.
    private static let redAndBlue = """
        (() => {
          const { width, height } = overlay.element;
          const pixels = overlay.context.getImageData(0, 0, width, height).data;
          let [red, blue] = [0, 0];
          for (let i = 0; i < pixels.length; i += 4) {
            red += pixels[i] * pixels[i + 3];
            blue += pixels[i + 2] * pixels[i + 3];
          }
          return { red, blue };
        })()
        """

    /// Holds when the page shows nothing.
    private static let isEmpty = "!overlay.isDrawn && \(coverage) === 0"

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
                #expect(try await browser.waits(for: Self.isEmpty), "\(reaction)")
            }
            // An effect ends by itself, too, and leaves nothing.
            _ = try client.ask(["command": .text("perform"), "reactionType": .text("thumbsUp")])
            #expect(try await browser.waits(for: "\(Self.coverage) > 0.05"))
            #expect(try await browser.waits(for: Self.isEmpty))
            #expect(try await picture(run).coverage == 0)
            #expect(browser.complaints == [])
        }
    }

    @Test func thePageFollowsTheSettings() async throws {
        try await PanelRun.with("--no-gestures --palette '#0000ff'") { run in
            let browser = run.browser
            try await OverlayPage.prepare(browser, width: Self.width, height: Self.height)
            try await run.openOverlay()
            let client = try run.client()
            _ = try client.ask(["command": .text("perform"), "reactionType": .text("balloons")])
            #expect(try await browser.waits(for: "\(Self.coverage) > 0.05"))
            let colours = try await browser.evaluate(Self.redAndBlue)
            let (red, blue) = try (#require(colours["red"]?.number), #require(colours["blue"]?.number))
            #expect(blue > 1.5 * red, "\(colours)")
            _ = try client.ask(["command": .text("cancel")])
            _ = try client.ask(["command": .text("set"), "name": .text("calm"), "value": .flag(true)])
            #expect(try await browser.waits(for: Self.isEmpty))
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
            #expect(try await browser.waits(for: Self.isEmpty))
            // The new run refuses it until its first frame.
            try await Hang.wait(milliseconds: 50) {
                next.isRunning
                    && (try? run.client().ask(["command": .text("perform"), "reactionType": .text("heart")])) == nil
            }
            #expect(try await browser.waits(for: "\(Self.coverage) > 0.01"))
        }
    }
}
