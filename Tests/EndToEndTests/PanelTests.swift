import FlourishControl
import Foundation
import Testing
import TestSupport

/// The panel of a video that runs in real time, in a real browser.
@Suite(
    "The panel in Chromium",
    .enabled(if: Chromium.program != nil, "Chromium is not installed (apt-get install chromium)"),
    .serialized, .timeLimit(.minutes(5)))
struct PanelTests {
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
        try await PanelRun.with { run in
            let browser = run.browser
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
            #expect(try await browser.waits(for: says("Reactions are switched off")))
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
            #expect(browser.complaints == [])
            let events = try await run.end()
            #expect(Set(events.effects) == ["balloons", "rain"])
            #expect(events.of("effectStarted").allSatisfy { $0["trigger"]?.string == "request" })
        }
    }

    @Test func aClickInThePictureShowsAReactionThere() async throws {
        try await PanelRun.with { run in
            let browser = run.browser
            // A click shows what was chosen last, a hold the others.
            // On a busy machine a click may last as long as a hold, and is then none.
            var hasStarted = false
            for _ in 0..<5 where !hasStarted {
                _ = try await browser.evaluate("closePalette()")
                try await browser.click("#stage", at: (0.25, 0.75))
                hasStarted = try await browser.waits(for: says("Thumbs up started"), seconds: 12)
            }
            #expect(hasStarted)
            try await browser.click("#stage", at: (0.75, 0.5), holding: .seconds(1))
            #expect(try await browser.waits(for: "!document.getElementById('palette').hidden"))
            try await browser.click("#palette [data-shows=heart]")
            #expect(try await browser.waits(for: says("Heart started")))
            #expect(try await browser.waits(for: "document.getElementById('palette').hidden"))

            // By the keyboard: from there one step to the left, and one up.
            _ = try await browser.evaluate("choose('balloons'); document.getElementById('stage').focus()")
            try await browser.press(key: "ArrowLeft", code: 37, text: "")
            try await browser.press(key: "ArrowUp", code: 38, text: "")
            try await browser.press(key: "Enter", code: 13, text: "\r")
            #expect(try await browser.waits(for: says("Balloons started")))

            // A button that is held goes on.
            try await browser.click("[data-type=rain]", holding: .seconds(4))
            #expect(try await browser.waits(for: says("Rain goes on")))
            #expect(browser.complaints == [])
            var origins: [String: JSONValue] = [:]
            for event in try await run.end().of("effectStarted") {
                origins[event["reactionType"]?.string ?? ""] = event["origin"]
            }
            for (type, x, y) in [("thumbsUp", 0.25, 0.75), ("heart", 0.75, 0.5), ("balloons", 0.7, 0.45)] {
                let origin = try #require(origins[type])
                #expect(abs((origin["x"]?.number ?? -1) - x) < 0.01, "\(type) \(origin)")
                #expect(abs((origin["y"]?.number ?? -1) - y) < 0.01, "\(type) \(origin)")
            }
        }
    }

    @Test func theRunEndsWhenSomebodyIsSure() async throws {
        try await PanelRun.with { run in
            let browser = run.browser
            try await browser.click("#end")
            #expect(try await browser.waits(for: "document.getElementById('sure').open"))
            try await browser.click("#sure button[value=stay]")
            #expect(try await browser.waits(for: "!document.getElementById('sure').open"))
            _ = try run.client().ask(["command": .text("get")])
            try await browser.click("#end")
            try await browser.click("#sure button[value=end]")
            #expect(
                try await browser.waits(for: "document.getElementById('banner').textContent.includes('has ended')"))
            #expect(try await browser.waits(for: Self.nothingCanBeUsed))
            #expect(browser.complaints == [])
            #expect(try await run.end(asks: false).of("streamEnded").count == 1)
        }
    }

    @Test func aLostConnectionIsTold() async throws {
        try await PanelRun.with { run in
            run.kill()
            let isTold = try await run.browser.waits(
                for: """
                    document.getElementById('banner').textContent.includes('connection to Flourish is lost')
                        && !document.getElementById('banner').hidden
                    """)
            #expect(isTold)
            #expect(try await run.browser.waits(for: Self.nothingCanBeUsed))
        }
    }

    @Test func aFileHasANameAndAnEnd() async throws {
        try await PanelRun.with(ofFile: true) { run in
            let browser = run.browser
            #expect(try await browser.waits(for: "document.getElementById('input').textContent === 'call.mp4'"))
            #expect(
                try await browser.waits(
                    for:
                        #"/^0:\d\d of 2:00, about \d+:\d\d left$/.test(document.getElementById('position-text').textContent)"#
                ))
            #expect(
                try await browser.evaluate("words({event: 'propertyChanged', name: 'gestures.twoHorns', value: false})")
                    == .string("The gesture “Horns with both hands” is switched off"))
            #expect(browser.complaints == [])
            _ = try await run.end()
        }
    }

    @Test(.enabled(if: AxeCore.script != nil, "axe-core is not installed (axe-playwright-python of the PyPI)"))
    func axeFindsNothing() async throws {
        let script = try #require(AxeCore.script)
        try await PanelRun.with(ofFile: true) { run in
            let browser = run.browser
            _ = try await browser.evaluate(script + "; 0")
            func check(_ state: String) async throws {
                for scheme in ["light", "dark"] {
                    try await browser.call(
                        "Emulation.setEmulatedMedia",
                        ["features": [["name": "prefers-color-scheme", "value": scheme]]])
                    #expect(try await AxeCore.violations(in: browser) == [], "\(state), \(scheme)")
                }
            }
            try await browser.click("[data-type=rain]")
            #expect(try await browser.waits(for: says("Rain started")))
            try await check("as it is")
            try await checkWidth(of: browser)
            try await check("on a phone")
            try await browser.click("#stage", holding: .seconds(1))
            #expect(try await browser.waits(for: "!document.getElementById('palette').hidden"))
            try await check("with the palette")
            try await browser.click("[data-property=reactionEffectsEnabled]")
            #expect(try await browser.waits(for: says("Reactions are switched off")))
            try await check("without reactions")
            try await browser.click("#end")
            #expect(try await browser.waits(for: "document.getElementById('sure').open"))
            try await check("with the question")
            try await browser.click("#sure button[value=end]")
            #expect(try await browser.waits(for: Self.nothingCanBeUsed))
            try await check("at the end")
            _ = try await run.end(asks: false)
        }
    }

    private static let nothingCanBeUsed = """
        [...document.querySelectorAll('button:not(#sure button), input')].every((control) => control.disabled)
            && !document.body.classList.contains('live')
        """

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
        // Eight reactions, the picture, Stop all and the end.
        #expect(used.count { role($0) == "button" } == 11)
        #expect(used.count { role($0) == "switch" } == 11)
        for node in used where role(node) != "status" {
            #expect(node["name"]?["value"]?.string?.isEmpty == false, "\(node)")
        }
    }
}
