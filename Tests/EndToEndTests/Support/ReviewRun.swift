import Foundation
import TestSupport
import Testing

/// A short call with a thumb up and a victory sign that is too brief, on review in a browser.
struct ReviewRun: Sendable {
    let browser: Chromium
    let bench: Workbench
    let program: RunningProgram
    let url: String

    /// The script of the call, which the puppet plays.
    static let script = """
        { "width": 480, "height": 270, "rate": 12, "duration": 6.5, "scene": { "skin": "tan", "seed": 3 },
          "cues": [ { "time": 0.5, "pose": "thumbUp", "hands": "left", "hold": 1.6, "rise": 0.3 },
                    { "time": 3.5, "pose": "victory", "hands": "right", "hold": 0.4, "rise": 0.3 } ] }
        """

    /// Draws it, starts the review and waits until the plan exists.
    ///
    /// - Parameter coding: FFmpeg's options to transcode it with, for a file that the browser may not be able to
    ///   play.
    static func with(
        codedAs coding: [String]? = nil, _ body: @Sendable (ReviewRun) async throws -> Void
    ) async throws {
        try await Workbench.with { bench in
            try await bench.draw(script: script, as: coding == nil ? "call.mp4" : "drawn.mp4")
            if let coding { try await bench.ffmpeg(["-i", "drawn.mp4"] + coding + ["-c:a", "copy", "call.mp4"]) }
            let (program, url) = try await start(in: bench)
            let browser = try await Chromium.open(#require(Chromium.program), profile: bench.file("profile"))
            let run = ReviewRun(browser: browser, bench: bench, program: program, url: url)
            do {
                try await run.open(url)
                try await body(run)
            } catch {
                await browser.close()
                program.send(signal: 9)
                throw error
            }
            await browser.close()
            program.send(signal: 2)
            _ = try await program.result()
        }
    }

    /// Starts the program, and returns it with the address that it prints.
    static func start(in bench: Workbench) async throws -> (RunningProgram, String) {
        let program = try Program.flourish.start(["review", "call.mp4"], in: bench.folder)
        try await bench.waits { program.standardErrorSoFar.contains("/\n") }
        let words = program.standardErrorSoFar.split(whereSeparator: \.isWhitespace)
        return (program, String(try #require(words.first { $0.hasPrefix("http://") })))
    }

    /// Opens a page, and waits until the plan can be changed there.
    func open(_ url: String) async throws {
        // A browser that is still starting on a busy machine may lose the navigation.
        var isOpen = false
        for _ in 0..<3 where !isOpen {
            try await browser.open(url)
            isOpen = try await browser.waits(
                for: "document.body?.classList.contains('live') && document.querySelectorAll('.block').length > 0",
                seconds: 40)
        }
        let page = try await browser.evaluate("document.body.innerText").string ?? ""
        try #require(isOpen, "\(page.prefix(600)) \(program.standardErrorSoFar)")
    }

    /// The plan's reactions as stored in its file.
    var reactions: [JSONValue] {
        get throws {
            try JSONValue(parsing: String(decoding: bench.bytes("call.plan.json"), as: UTF8.self))["reactions"]?.array
                ?? []
        }
    }

    /// Waits until the plan's file meets a condition.
    func waits(for condition: @Sendable ([JSONValue]) -> Bool, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        try await bench.waits(sourceLocation: sourceLocation) { condition(try reactions) }
    }

    /// Removes the reactions of a type from the plan's file, like another page or an editor.
    func remove(_ type: String) throws {
        let data = Data(try bench.bytes("call.plan.json"))
        var plan = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let reactions = try #require(plan["reactions"] as? [[String: Any]])
        plan["reactions"] = reactions.filter { $0["reactionType"] as? String != type }
        let text = try JSONSerialization.data(withJSONObject: plan)
        try bench.write(String(decoding: text, as: UTF8.self), as: "call.plan.json")
    }

    /// Drags an element sideways like a mouse.
    func drag(_ selector: String, by distance: Double) async throws {
        let box = try await browser.evaluate(
            """
            (() => {
              const element = document.querySelector('\(selector)');
              element.scrollIntoView({ block: 'center' });
              const { x, y, width, height } = element.getBoundingClientRect();
              return { x: x + width / 2, y: y + height / 2 };
            })()
            """)
        let (x, y) = (box["x"]?.number ?? 0, box["y"]?.number ?? 0)
        for (type, share) in [("mousePressed", 0), ("mouseMoved", 0.5), ("mouseMoved", 1), ("mouseReleased", 1)] {
            try await browser.call(
                "Input.dispatchMouseEvent",
                ["type": type, "x": x + distance * share, "y": y, "button": "left", "buttons": 1, "clickCount": 1])
        }
    }

    /// Drags from one place of an element to another like a mouse.
    ///
    /// - Parameters:
    ///   - start, end: The positions in it, 0…1 of its width and height.
    func drag(_ selector: String, from start: (x: Double, y: Double), to end: (x: Double, y: Double)) async throws {
        let box = try await browser.evaluate(
            """
            (() => {
              const element = document.querySelector('\(selector)');
              element.scrollIntoView({ block: 'center' });
              const { x, y, width, height } = element.getBoundingClientRect();
              return { x, y, width, height };
            })()
            """)
        func number(_ key: String) -> Double { box[key]?.number ?? 0 }
        for (type, share) in [("mousePressed", 0), ("mouseMoved", 0.5), ("mouseMoved", 1), ("mouseReleased", 1)] {
            let place = (x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share)
            try await browser.call(
                "Input.dispatchMouseEvent",
                [
                    "type": type, "x": number("x") + place.x * number("width"),
                    "y": number("y") + place.y * number("height"), "button": "left", "buttons": 1, "clickCount": 1,
                ])
        }
    }

    /// Presses a key with a letter.
    func press(_ letter: String) async throws {
        try await browser.press(
            key: letter, code: Int(letter.uppercased().unicodeScalars.first?.value ?? 0), text: letter)
    }

    /// Returns whether the page shows a message at its foot.
    func says(_ text: String) async throws -> Bool {
        try await browser.waits(for: "document.getElementById('said').textContent.includes('\(text)')")
    }
}
