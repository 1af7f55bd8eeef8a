import Foundation
import TestSupport
import Testing

/// Counting triggers in a user's own recordings.
@Suite("Evaluation of own recordings", .timeLimit(.minutes(Hang.minutes)))
struct EvaluateTests {
    /// Draws a call with a thumb up, and a victory sign that is too brief, as `calls/anna.mp4`.
    private static func drawCall(in bench: Workbench) async throws {
        try bench.makeFolder("calls")
        try await bench.draw(script: ReviewRun.script, as: "calls/anna.mp4")
    }

    private static func evaluate(_ bench: Workbench, _ options: String...) async throws -> ProgramResult {
        try await bench.flourish(["evaluate", "calls"] + options, timeout: .seconds(200))
    }

    @Test func triggersAndHoursAreCounted() async throws {
        try await Workbench.with { bench in
            try await Self.drawCall(in: bench)
            // The second half is missing: what can be read counts.
            try await bench.ffmpeg(["-i", "calls/anna.mp4", "-c", "copy", "whole.ts"])
            let whole = try bench.bytes("whole.ts")
            try Data(whole.prefix(whole.count / 2) + Array(repeating: 0x5A, count: 2000)).write(
                to: bench.file("calls/broken.ts"))
            try bench.write("", as: "calls/empty.mp4")
            try bench.write("Hello.", as: "calls/notes.txt")

            let first = try await Self.evaluate(bench, "--json", "figures.json")
            #expect(first.exitCode == 65, "\(first.standardError)")
            #expect(first.standardError.contains("failed   calls/empty.mp4"))
            #expect(first.standardError.contains("2 done, 1 failed;"))
            let lines = first.standardOutput.split(separator: "\n").map(String.init)
            #expect(lines.first?.hasPrefix("recordings ") == true)
            #expect(lines.contains { $0.hasPrefix("not judged") && $0.hasSuffix("--review shows each") })
            #expect(lines.contains { $0.hasPrefix("  thumbsUp") })
            #expect(!first.standardOutput.contains("anna"))

            let figures = try JSONValue(parsing: String(decoding: bench.bytes("figures.json"), as: UTF8.self))
            #expect(figures["recordings"]?.integer == 2)
            #expect(figures["failed"]?.integer == 1)
            #expect(figures["hold"]?.number == 1)
            let fired = try #require(figures["fired"]?["events"]?.integer)
            #expect(fired >= 1)
            #expect(figures["notJudged"]?.integer == fired)
            let hours = try #require(figures["hours"]?.number)
            #expect(hours > 6.4 / 3600 && hours < 13.1 / 3600)
            // The interval of so few hours is wide, and contains the rate.
            let rate = try #require(figures["fired"]?["perHour"]?.number)
            #expect(try #require(figures["fired"]?["from"]?.number) < rate)
            #expect(try #require(figures["fired"]?["to"]?.number) > rate)
            #expect(!String(decoding: try bench.bytes("figures.json"), as: UTF8.self).contains("anna"))

            // The second run reads what the first one wrote.
            let again = try await Self.evaluate(bench)
            #expect(again.exitCode == 65 && again.standardOutput == first.standardOutput)
            #expect(again.standardError.contains("2 done before"), "\(again.standardError)")
        }
    }

    @Test func wrongCommandLinesAndFilesAreRefused() async throws {
        try await Workbench.with { bench in
            try bench.makeFolder("calls")
            try await bench.makeClip("calls/still.mp4", seconds: 0.6, sound: false)
            for options in [["--open"], ["--address", "9000"], ["--jobs", "0"], ["-"]] {
                let result = try await bench.flourish(["evaluate", "calls"] + options)
                #expect(result.exitCode == 64 && result.standardOutput.isEmpty, "\(options): \(result.standardError)")
            }
            let missing = try await bench.flourish(["evaluate", "missing"])
            #expect(missing.exitCode == 66 && missing.errorLines == ["flourish: missing: No such file or directory"])
            let none = try await Self.evaluate(bench)
            #expect(none.exitCode == 0, "\(none.standardError)")
            #expect(none.standardOutput.contains("0  0.0 (0.0–"))
            // A recording is no place for figures.
            let still = try bench.bytes("calls/still.mp4")
            #expect(try await Self.evaluate(bench, "--json", "calls/still.mp4").exitCode == 73)
            #expect(try bench.bytes("calls/still.mp4") == still)
            for text in ["[]", "{", #"{"version": 2, "answers": []}"#] {
                try bench.write(text, as: "calls/evaluation/answers.json")
                let result = try await Self.evaluate(bench)
                #expect(result.exitCode == 65 && result.standardOutput.isEmpty)
                #expect(
                    result.errorLines.last?.hasPrefix("flourish: calls/evaluation/answers.json: not the answers")
                        == true, "\(result.standardError)")
            }
        }
    }

    @Test(.enabled(if: Chromium.program != nil, "Chromium is not installed (apt-get install chromium)"))
    func answersInTheBrowserCount() async throws {
        try await Workbench.with { bench in
            try await Self.drawCall(in: bench)
            let program = try Program.flourish.start(["evaluate", "calls", "--review"], in: bench.folder)
            let browser = try await Chromium.open(#require(Chromium.program), profile: bench.file("profile"))
            do {
                try await bench.waits { program.standardErrorSoFar.contains("/\n") }
                let words = program.standardErrorSoFar.split(whereSeparator: \.isWhitespace)
                try await browser.open(String(try #require(words.first { $0.hasPrefix("http://") })))
                #expect(
                    try await browser.waits(
                        for: "document.getElementById('question')?.textContent.startsWith('Thumbs up at 0:0')"))
                #expect(
                    try await browser.waits(
                        for:
                            "[...document.querySelectorAll('#frames img')].filter((image) => image.naturalWidth > 0).length === 6"
                    ))
                // Requests that no page sends.
                for (request, status) in [
                    ("fetch('answer', { method: 'POST', body: '{}' })", 415),
                    (Self.post("{"), 422), (Self.post("{ \"trigger\": 9, \"isMeant\": true }"), 422),
                    ("fetch('frame.jpg?trigger=9&time=0&height=90')", 400),
                    ("fetch('frame.jpg?trigger=0&time=0&height=9000')", 400),
                    ("fetch('answer', { method: 'PUT' })", 405), ("fetch('../nothing')", 404),
                ] {
                    _ = try await browser.evaluate(
                        "window.status_ = 0; \(request).then((response) => { window.status_ = response.status; }); 0")
                    #expect(try await browser.waits(for: "window.status_ === \(status)"), "\(request)")
                }
                try await browser.click("#no")
                #expect(
                    try await browser.waits(
                        for: "document.getElementById('counts').textContent === '0 meant, 1 false, 0 not judged'"))
                try await browser.click("#yes")
                #expect(
                    try await browser.waits(
                        for: "document.getElementById('counts').textContent === '1 meant, 0 false, 0 not judged'"))
                try await browser.click("#finish")
            } catch {
                await browser.close()
                program.send(signal: 9)
                throw error
            }
            let result = try await program.result()
            await browser.close()
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.standardOutput.contains("1 meant, 0 false"), "\(result.standardOutput)")
            // Without a review the answers still count.
            let again = try await Self.evaluate(bench)
            #expect(again.exitCode == 0 && again.standardOutput == result.standardOutput)
        }
    }

    private static func post(_ body: String) -> String {
        "fetch('answer', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '\(body)' })"
    }
}
