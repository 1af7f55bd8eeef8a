import Foundation
import Testing
import TestSupport

@Suite(
    "Smartly rendered video in Chromium",
    .enabled(if: Chromium.program != nil, "Chromium is not installed (apt-get install chromium)"),
    .serialized)
struct SmartPlaybackTests {
    /// An independent player shows every picture at the source's times, plays through the seams and seeks to each.
    @Test(arguments: [
        ("mp4", Coding.h264 + ["-bf", "2"]), ("mp4", ["-c:v", "libx264", "-preset", "medium"]), ("webm", Coding.vp9),
        // Its segments have sequence headers of their own.
        ("mp4", ["-c:v", "libsvtav1", "-preset", "10"]), ("webm", ["-c:v", "libsvtav1", "-preset", "10"]),
    ])
    func chromiumPlaysThroughTheSeams(_ kind: String, _ coding: [String]) async throws {
        let program = try #require(Chromium.program)
        try await Workbench.with { bench in
            let input = "in.\(kind)", output = "out.\(kind)"
            try await bench.makeClip(
                input, size: "160x120", seconds: 4, sound: false, ["-g", "15", "-pix_fmt", "yuv420p"] + coding)
            try await bench.shortPlan(input, "plan.json", [("heart", 1.1, 0.4), ("confetti", 2.9, 0.3)])
            let events = try await bench.smart(input, output, ["--plan", "plan.json"])
            let spans = try #require(events.ended["smartRender"]?["spans"]?.array)
            #expect(spans.count == 2)
            let seams: [Double] = spans.flatMap { span -> [Double] in
                [span["startTime"]?.number ?? 0, span["endTime"]?.number ?? 0]
            }
            for name in [input, output] {
                // A page may read the pixels of embedded videos.
                let data = try bench.bytes(name).base64EncodedString()
                try bench.write(Self.page("data:video/\(kind);base64,\(data)", seams), as: name + ".html")
            }
            let browser = try await Chromium.open(program, profile: bench.file("profile"))
            func inspect(_ name: String) async throws -> [String: JSONValue] {
                try await browser.open(bench.file(name + ".html").absoluteString)
                #expect(try await browser.waits(for: "window.report !== undefined"))
                return try await browser.evaluate("window.report").object ?? [:]
            }
            var (before, after) = (try await inspect(input), try await inspect(output))
            // A busy machine may paint a picture after it reported the seek as complete.
            for _ in 0..<2 where before["pictures"] != after["pictures"] {
                (before, after) = (try await inspect(input), try await inspect(output))
            }
            await browser.close()
            #expect(after["error"] == .null)
            #expect(after["duration"] == before["duration"])
            // Dropped frames depend on the machine; decoded ones on the file.
            #expect(after["hasEnded"] == .flag(true))
            // The pictures just before each span and just after it are the source's.
            let (a, b) = (before["pictures"]?.array ?? [], after["pictures"]?.array ?? [])
            #expect(a.count == seams.count && a == b)
        }
    }

    private static func page(_ address: String, _ seams: [Double]) -> String {
        // Before the first frame of a span, and on the first one after it.
        let places = seams.enumerated().map { $0.offset % 2 == 0 ? $0.element - 0.02 : $0.element + 0.02 }
        return """
            <video id="v" src="\(address)" muted></video><script>
            const v = document.getElementById("v"), canvas = document.createElement("canvas")
            const once = (name) => new Promise((done, fail) => {
              v.addEventListener(name, done, { once: true }); v.addEventListener("error", fail, { once: true }) })
            async function run() {
              const pictures = []
              if (v.readyState < 2) await once("loadeddata")
              canvas.width = v.videoWidth; canvas.height = v.videoHeight
              const context = canvas.getContext("2d")
              for (const place of \(places)) {
                v.currentTime = place
                await once("seeked")
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
                context.drawImage(v, 0, 0)
                pictures.push(canvas.toDataURL())
              }
              v.currentTime = 0; v.playbackRate = 4
              await once("seeked")
              v.play()
              await once("ended")
              return { error: null, duration: v.duration, hasEnded: v.ended, pictures }
            }
            run().then((r) => window.report = r, () => window.report = { error: v.error ? v.error.message : "?" })
            </script>
            """
    }
}
