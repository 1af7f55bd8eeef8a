import Foundation
import TestSupport
import Testing

/// The effect editor with a folder of effects, open in a browser.
struct EditorRun: Sendable {
    let browser: Chromium
    let bench: Workbench

    /// A red disc that stays where it is.
    static let disc = """
        {
          "type": "disc",
          "duration": 1,
          "exit": 0,
          "emitters": [
            {"name": "disc", "count": 1, "shape": "disc", "size": 0.2, "colours": ["#ff0000"]}
          ]
        }

        """

    /// Writes effects/disc.json, starts the editor, and waits until a frame is drawn.
    static func with(
        _ effect: String? = "disc", media: [[String: String]] = [], _ body: @Sendable (EditorRun) async throws -> Void
    ) async throws {
        try await Workbench.with { bench in
            try FileManager.default.createDirectory(at: bench.file("effects"), withIntermediateDirectories: true)
            try bench.write(disc, as: "effects/disc.json")
            let arguments = ["effects", "edit"] + (effect.map { [$0] } ?? []) + ["--folder", "effects"]
            let program = try Program.flourish.start(arguments, in: bench.folder)
            defer { program.send(signal: 9) }
            try await bench.waits { program.standardErrorSoFar.contains("/\n") }
            let words = program.standardErrorSoFar.split(whereSeparator: \.isWhitespace)
            let url = String(try #require(words.first { $0.hasPrefix("http://") }))
            let browser = try await Chromium.open(#require(Chromium.program), profile: bench.file("profile"))
            let run = EditorRun(browser: browser, bench: bench)
            do {
                try await browser.call("Emulation.setEmulatedMedia", ["features": media])
                try await run.open(url)
                try await body(run)
            } catch {
                await browser.close()
                throw error
            }
            await browser.close()
            program.send(signal: 2)
            #expect(try await program.result().exitCode == 0)
        }
    }

    private func open(_ url: String) async throws {
        // A browser that is still starting on a busy machine may lose the navigation.
        var isOpen = false
        for _ in 0..<3 where !isOpen {
            try await browser.open(url)
            isOpen = try await browser.waits(for: "document.body?.classList.contains('drawn')", seconds: 40)
        }
        let page = try await browser.evaluate("document.body.innerText").string ?? ""
        try #require(isOpen, "\(page.prefix(600))")
    }

    /// The number of red pixels of the preview, as a script.
    static let redness = """
        (() => {
          const canvas = document.getElementById('canvas');
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          let count = 0;
          for (let i = 0; i < data.length; i += 4) if (data[i] > 180 && data[i + 1] < 90 && data[i + 2] < 90) count++;
          return count;
        })()
        """

    /// A selector for the control of a key, such as `emitters/0/size`.
    static func control(_ path: String, _ kind: String) -> String { "[data-path=\"\(path)\"] \(kind)" }

    func says(_ text: String) async throws -> Bool {
        try await browser.waits(for: "document.getElementById('said').textContent.includes('\(text)')")
    }

    /// The content of a description.
    func effect(_ name: String) throws -> JSONValue {
        try JSONValue(parsing: String(decoding: bench.bytes("effects/\(name).json"), as: UTF8.self))
    }
}
