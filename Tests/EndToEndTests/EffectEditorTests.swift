import Foundation
import TestSupport
import Testing

/// The effect editor in a real browser.
@Suite(
    "The effect editor in Chromium",
    .enabled(if: Chromium.program != nil, "Chromium is not installed (apt-get install chromium)"),
    .serialized, .timeLimit(.minutes(Hang.minutes)))
struct EffectEditorTests {
    private static let size = EditorRun.control("emitters/0/size", "input[type=range]")

    /// Shows a still picture of the effect.
    private func pause(_ run: EditorRun) async throws {
        _ = try await run.browser.evaluate(
            """
            (() => {
              const scrub = document.getElementById('scrub');
              scrub.value = 20;
              scrub.dispatchEvent(new Event('input'));
            })()
            """)
        #expect(try await run.browser.waits(for: "\(EditorRun.redness) > 500"))
    }

    @Test func aSliderChangesThePreviewAndTheFile() async throws {
        try await EditorRun.with { run in
            let browser = run.browser
            try await pause(run)
            let before = try await browser.evaluate(EditorRun.redness).number ?? 0
            try await browser.click(Self.size, at: (0.5, 0.5))
            #expect(try await browser.waits(for: "\(EditorRun.redness) > \(2 * before)"))
            #expect(try await browser.waits(for: "document.getElementById('status').textContent === 'Unsaved edits'"))
            #expect(try run.effect("disc")["emitters"]?.array?[0]["size"] == .number(0.2), "nothing is saved yet")

            try await browser.click("#undo")
            #expect(try await browser.waits(for: "Math.abs(\(EditorRun.redness) - \(before)) < 50"))
            #expect(try await browser.waits(for: "document.getElementById('save').disabled"))
            try await browser.click("#redo")
            #expect(try await browser.waits(for: "\(EditorRun.redness) > \(2 * before)"))
            try await browser.click("#save")
            #expect(try await run.says("Saved in"))
            // The middle of the slider is an eighth of the range, since small values matter most.
            let saved = try #require(try run.effect("disc")["emitters"]?.array?[0]["size"]?.number)
            #expect(abs(saved - 0.5) < 0.1)
            let text = String(decoding: try run.bench.bytes("effects/disc.json"), as: UTF8.self)
            #expect(text == EditorRun.disc.replacing("\"size\": 0.2", with: "\"size\": \(saved)"))
            // It appears and disappears, which is one flash.
            let figures = "['cost', 'flashes'].map((id) => document.getElementById(id).textContent).join()"
            #expect(try await browser.waits(for: "/^[\\d.]+ ms,1 a second$/.test(\(figures))"))
            #expect(browser.complaints == [])
        }
    }

    @Test func keysOfTheFormatHaveControls() async throws {
        try await EditorRun.with { run in
            let browser = run.browser
            // By the keyboard: a key that was not set, its removal, and a colour.
            let gravity = EditorRun.control("emitters/0/gravity", "input[type=range]")
            _ = try await browser.evaluate("document.querySelector('\(gravity)').focus()")
            for _ in 0..<40 { try await browser.press(key: "ArrowRight", code: 39, text: "") }
            let source = "JSON.parse(document.getElementById('source').value)"
            #expect(try await browser.waits(for: "\(source).emitters[0].gravity > 0"))
            // One step, however often the key was pressed.
            try await browser.click(EditorRun.control("emitters/0/gravity", ".remove"))
            #expect(try await browser.waits(for: "\(source).emitters[0].gravity === undefined"))
            _ = try await browser.evaluate(
                """
                (() => {
                  const colour = document.querySelector('\(EditorRun.control("emitters/0/colours", "input[type=color]"))');
                  colour.value = '#00ff00';
                  for (const kind of ['input', 'change']) colour.dispatchEvent(new Event(kind));
                })()
                """)
            #expect(try await browser.waits(for: "\(source).emitters[0].colours.join() === '#00ff00'"))
            // A value for all becomes a range.
            _ = try await browser.evaluate(
                """
                (() => {
                  const kind = document.querySelector('\(EditorRun.control("emitters/0/size", "select"))');
                  kind.value = 'range';
                  kind.dispatchEvent(new Event('change'));
                })()
                """)
            #expect(try await browser.waits(for: "\(source).emitters[0].size.join() === '0.2,0.2'"))
            // Emitters are added, moved and removed.
            try await browser.click("#duplicate")
            #expect(try await browser.waits(for: "\(source).emitters.length === 2"))
            try await browser.click("#add-child")
            #expect(try await browser.waits(for: "\(source).emitters[1].children.length === 1"))
            try await browser.click("#remove")
            #expect(try await browser.waits(for: "!('children' in \(source).emitters[1])"))
            // What flourish refuses is said at its place, and cannot be saved.
            _ = try await browser.evaluate(
                """
                (() => {
                  const shape = document.querySelector('\(EditorRun.control("emitters/1/shape", "select"))');
                  shape.value = 'sprite';
                  shape.dispatchEvent(new Event('change'));
                })()
                """)
            #expect(
                try await browser.waits(
                    for: "document.getElementById('fault').textContent.startsWith('emitters[1].sprite: must be set')"))
            #expect(
                try await browser.waits(for: "document.querySelector('.key.bad').dataset.path === 'emitters/1/sprite'"))
            #expect(try await browser.waits(for: "document.getElementById('save').disabled"))
            try await browser.click("#reset")
            #expect(try await browser.waits(for: "document.getElementById('fault').hidden"))
            #expect(
                try await browser.waits(
                    for: "document.getElementById('source').value === \(Self.quoted(EditorRun.disc))"))
            // Exactly one step back.
            try await browser.click("#undo")
            #expect(try await browser.waits(for: "\(source).emitters[1].shape === 'sprite'"))
            // The refusals were answers to requests.
            #expect(browser.complaints.allSatisfy { $0.contains("422") })
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\"", with: "\\\"").replacing("\n", with: "\\n"))\""
    }

    @Test func changesByAnEditorAreShown() async throws {
        try await EditorRun.with { run in
            let browser = run.browser
            try await pause(run)
            let blue = EditorRun.disc.replacing("#ff0000", with: "#0000ff")
            try run.bench.write(blue, as: "effects/disc.json")
            #expect(try await run.says("Loaded again"))
            #expect(try await browser.waits(for: "\(EditorRun.redness) === 0"))

            // With edits, it asks.
            try await browser.click(Self.size, at: (0.5, 0.5))
            #expect(try await browser.waits(for: "document.getElementById('status').textContent === 'Unsaved edits'"))
            try run.bench.write(EditorRun.disc, as: "effects/disc.json")
            #expect(
                try await browser.waits(
                    for: "!document.getElementById('load').hidden && !document.getElementById('banner').hidden"))
            #expect(try await browser.waits(for: "\(EditorRun.redness) === 0"))
            try await browser.click("#keep")
            try await browser.click("#save")
            #expect(try await run.says("Saved in"))
            #expect(try run.effect("disc")["emitters"]?.array?[0]["colours"]?.array == [.text("#0000ff")])

            try FileManager.default.removeItem(at: run.bench.file("effects/disc.json"))
            #expect(
                try await browser.waits(for: "document.getElementById('banner').textContent.includes('was removed')"))
            try await browser.click("#save")
            #expect(try await browser.waits(for: "document.getElementById('banner').hidden"))
            #expect(try run.effect("disc")["type"] == .text("disc"))
        }
    }

    @Test func aBuiltInEffectIsSavedAsACopy() async throws {
        // Without motion, nothing plays by itself.
        let still = [["name": "prefers-reduced-motion", "value": "reduce"]]
        try await EditorRun.with("heart", media: still) { run in
            let browser = run.browser
            #expect(try await browser.evaluate("document.getElementById('play').textContent") == .text("Play"))
            try await browser.click("#save")
            #expect(try await browser.waits(for: "document.getElementById('naming').open"))
            #expect(try await browser.evaluate("document.getElementById('new-name').value") == .text("myHeart"))
            func type(_ name: String) async throws {
                _ = try await browser.evaluate(
                    """
                    document.getElementById('new-name').value = '\(name)';
                    document.getElementById('new-name').dispatchEvent(new Event('input'))
                    """)
                try await browser.click("#naming-yes")
            }
            try await type("rain")
            #expect(try await browser.waits(for: "!document.getElementById('new-name').checkValidity()"))
            // An existing effect is replaced only on request.
            try await type("disc")
            #expect(try await browser.waits(for: "document.getElementById('sure').open"))
            try await browser.click("#sure .plain")
            #expect(try run.effect("disc")["type"] == .text("disc"))
            try await browser.click("#save")
            #expect(try await browser.waits(for: "document.getElementById('naming').open"))
            try await type("love")
            #expect(try await run.says("Saved in"))
            #expect(try run.effect("love")["type"] == .text("love"))
            // Its text is longer than a line of the file.
            let heart = Repository.root.appending(path: "Assets/Reactions/heart.json")
            let text = try JSONValue(parsing: String(contentsOf: heart, encoding: .utf8))["about"]
            #expect(try run.effect("love")["about"] == text)
            #expect(try await browser.waits(for: "document.getElementById('effect').value === 'love'"))
            let listed = try await run.bench.flourish(["reactions", "--effects", "effects"])
            #expect(listed.outputLines.contains { $0.hasPrefix("love") })
            #expect(browser.complaints == [])
        }
    }

    @Test(.enabled(if: AxeCore.script != nil, "axe-core is not installed (axe-playwright-python of the PyPI)"))
    func axeFindsNoViolation() async throws {
        let script = try #require(AxeCore.script)
        try await EditorRun.with { run in
            let browser = run.browser
            _ = try await browser.evaluate(script + "; 0")
            try await AxeCore.check(browser, "an emitter")
            try await browser.click("#emitters button")
            try await AxeCore.check(browser, "the effect")
            try await browser.call(
                "Emulation.setDeviceMetricsOverride",
                ["width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true])
            #expect(try await browser.waits(for: "document.documentElement.scrollWidth <= 390"))
            try await AxeCore.check(browser, "on a phone")
            try await browser.click("#save-as")
            #expect(try await browser.waits(for: "document.getElementById('naming').open"))
            try await AxeCore.check(browser, "with the question for a name")
        }
    }
}

/// `flourish effects` on the command line.
@Suite("The effect editor's command") struct EffectEditorCommandTests {
    @Test func unusableArgumentsAreRefused() async throws {
        try await Workbench.with { bench in
            try FileManager.default.createDirectory(at: bench.file("effects"), withIntermediateDirectories: true)
            try bench.write(EditorRun.disc, as: "effects/disc.json")
            try bench.write("{\"type\": \"bad\",\n \"emitters\": [}", as: "effects/bad.json")
            try bench.write("", as: "file")
            func refused(_ arguments: [String], code: Int32, naming name: String, saying text: String) async throws {
                let result = try await bench.flourish(["effects"] + arguments)
                expectRefusal(result, code: code, naming: name, saying: text)
            }
            try await refused(["hart"], code: 64, naming: "unknown effect hart", saying: "did you mean heart")
            try await refused(
                ["edit", "bad", "--folder", "effects"], code: 65, naming: "effects/bad.json", saying: "line 2")
            try await refused(["effects/bad.json"], code: 65, naming: "effects/bad.json", saying: "line 2")
            try await refused(["none.json"], code: 66, naming: "none.json", saying: "no such file")
            try await refused(["heart", "--folder", "file"], code: 73, naming: "file", saying: "is not a folder")
            try await refused(
                ["heart", "--address", "example.org"], code: 64, naming: "example.org", saying: "numeric")
        }
    }
}
