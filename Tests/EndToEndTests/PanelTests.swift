import FlourishControl
import Foundation
import TestSupport
import Testing

/// The panel of a video that runs in real time, in a real browser.
@Suite(
    "The panel in Chromium",
    .enabled(if: Chromium.program != nil, "Chromium is not installed (apt-get install chromium)"),
    .timeLimit(.minutes(5)))
struct PanelTests {
    /// Runs a grey video and its panel.
    private func withPanel(
        _ body: @Sendable (_ browser: Chromium, _ url: String, _ bench: Workbench) async throws -> Void
    ) async throws {
        try await Workbench.with { bench in
            let bash = Program(executable: URL(filePath: "/bin/bash"))
            // It ends by itself, should the test fail.
            let run = try bash.start(
                [
                    "-c",
                    """
                    ffmpeg -v error -nostdin -re -f lavfi -i color=gray:s=320x180:r=15:d=240 -c:v libx264 -preset ultrafast -f nut - \
                    | '\(Program.flourish.executable.path)' filter - out.mkv --no-gestures --preset ultrafast \
                        --panel --control c.sock --events events.jsonl
                    """,
                ], in: bench.folder)
            for _ in 0..<2400 where !run.standardErrorSoFar.contains("/\n") {
                try await Task.sleep(for: .milliseconds(50))
            }
            let url = try #require(
                run.standardErrorSoFar.split(separator: " ").first { $0.hasPrefix("http://127.0.0.1:") })
            let program = try #require(Chromium.program)
            let browser = try await Chromium.open(program, profile: bench.file("profile"))
            do {
                try await body(browser, url.trimmingCharacters(in: .whitespacesAndNewlines), bench)
                #expect(browser.complaints == [])
            } catch {
                await browser.close()
                throw error
            }
            _ = try ControlClient(path: bench.folder.path + "/c.sock").ask(["command": .text("quit")])
            #expect(
                try await browser.waits(for: "document.getElementById('status').textContent === 'The video has ended'"))
            await browser.close()
            _ = try await run.result()
            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            #expect(Set(events.effects) == ["balloons", "rain"])
            #expect(events.of("effectStarted").allSatisfy { $0["trigger"]?.string == "request" })
        }
    }

    /// How many pixels of the preview are colourful: none of a grey video.
    private static let colourful = """
        (() => {
          const image = document.getElementById('preview');
          if (image.hidden || !image.naturalWidth) return -1;
          const canvas = document.createElement('canvas');
          [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
          const context = canvas.getContext('2d');
          context.drawImage(image, 0, 0);
          const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
          let count = 0;
          for (let i = 0; i < data.length; i += 4) {
            if (Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 80) count++;
          }
          return count;
        })()
        """

    private func says(_ text: String) -> String {
        "document.getElementById('log').textContent.includes('\(text)')"
    }

    @Test func aClickShowsTheEffectInThePictureAndInTheEvents() async throws {
        try await withPanel { browser, url, _ in
            try await browser.open(url)
            #expect(try await browser.waits(for: "document.querySelectorAll('#buttons button').length === 8"))
            #expect(try await browser.waits(for: "\(Self.colourful) === 0"), "the video itself is grey")
            #expect(
                try await browser.waits(
                    for: "[...document.querySelectorAll('#buttons img')].every((i) => i.naturalWidth > 0)"))

            #expect(
                try await clicks(
                    "[data-type=balloons]", in: browser,
                    until: """
                        \(Self.colourful) > 300
                        && document.querySelector('[data-type=balloons]').classList.contains('running')
                        """))
            #expect(try await browser.waits(for: says("Balloons started")))

            // By the keyboard.
            _ = try await browser.evaluate("document.querySelector('[data-type=rain]').focus()")
            try await browser.press(key: "Enter", code: 13, text: "\r")
            #expect(try await browser.waits(for: says("Rain started")))

            // A switch, and what follows from it.
            #expect(
                try await clicks(
                    "[data-property=reactionEffectsEnabled]", in: browser,
                    until: "document.querySelector('[data-type=rain]').disabled"))
            #expect(try await browser.waits(for: says("reactionEffectsEnabled is false")))
            #expect(try await browser.waits(for: "parseFloat(document.getElementById('fps').textContent) > 1"))
            #expect(try await browser.waits(for: "document.getElementById('bitrate').textContent.includes('bit/s')"))
            // No hand is here that could nearly make a gesture.
            #expect(
                try await browser.waits(
                    for: """
                        words({event: 'candidate', gesture: 'thumbsUp', held: 0.82, reason: 'heldTooBriefly'})
                            === 'Thumbs up was held for 0.8 s, too briefly'
                        """))
            try await checkWidth(of: browser)
            try await checkNames(in: browser)
        }
    }

    /// Clicks until something can be seen: an effect may be over before a slow browser has looked, and
    /// what is clicked may move aside while the page grows.
    private func clicks(_ selector: String, in browser: Chromium, until condition: String) async throws -> Bool {
        for _ in 0..<5 {
            try await browser.click(selector)
            if try await browser.waits(for: condition, seconds: 12) { return true }
        }
        return false
    }

    /// On a phone nothing is wider than the screen.
    private func checkWidth(of browser: Chromium) async throws {
        try await browser.call(
            "Emulation.setDeviceMetricsOverride", ["width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true])
        #expect(try await browser.waits(for: "document.documentElement.scrollWidth <= 390"))
    }

    /// A screen reader has a name for everything that can be used.
    private func checkNames(in browser: Chromium) async throws {
        let nodes = try await browser.call("Accessibility.getFullAXTree")["nodes"]?.array ?? []
        func role(_ node: JSONValue) -> String { node["role"]?["value"]?.string ?? "" }
        let used = nodes.filter { ["button", "switch", "slider", "log", "status"].contains(role($0)) }
        #expect(used.count { role($0) == "button" } == 9)
        #expect(used.count { role($0) == "switch" } == 11)
        for node in used where role(node) != "status" {
            #expect(node["name"]?["value"]?.string?.isEmpty == false, "\(node)")
        }
    }
}
