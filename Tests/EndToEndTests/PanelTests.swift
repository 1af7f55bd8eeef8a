import FlourishControl
import Foundation
import Testing
import TestSupport

/// The panel of a video that runs in real time, in a real browser.
@Suite(
    "The panel in Chromium",
    .enabled(if: Chromium.program != nil, "Chromium is not installed (apt-get install chromium)"),
    .serialized, .timeLimit(.minutes(Hang.minutes)))
struct PanelTests {
    /// The number of colourful pixels in the preview: none of a grey video.
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

            // A switch, and its consequences.
            #expect(
                try await clicks(
                    "[data-property=reactionEffectsEnabled]", in: browser,
                    until: "document.querySelector('[data-type=rain]').disabled"))
            #expect(try await browser.waits(for: says("Reactions are switched off")))
            #expect(try await browser.waits(for: "parseFloat(document.getElementById('fps').textContent) > 1"))
            #expect(try await browser.waits(for: "document.getElementById('bitrate').textContent.includes('bit/s')"))
            // No hand is in view that could nearly make a gesture.
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

    @Test func slidersActWhileTheyAreDragged() async throws {
        try await PanelRun.with { run in
            let browser = run.browser
            for (name, title) in [
                ("portrait", "Portrait"), ("studioLight", "Studio Light"), ("autoFraming", "Auto framing"),
            ] {
                // While a slider is dragged, it only sends "input".
                _ = try await browser.evaluate(
                    """
                    (() => {
                      const slider = document.getElementById("\(name)");
                      slider.value = 0.45;
                      slider.dispatchEvent(new Event("input", { bubbles: true }));
                    })()
                    """)
                #expect(try await browser.waits(for: says("\(title) is 45 %")))
                #expect(
                    try await browser.evaluate("document.getElementById('\(name)-value').textContent")
                        == .text("45 %"))
            }
            #expect(browser.complaints == [])
            let last = try #require(try await run.end().of("videoEffectsChanged").last)
            #expect(last["portrait"]?.number == 0.45 && last["studioLight"]?.number == 0.45)
        }
    }

    @Test func aRefusedValueIsNotShownAnyMore() async throws {
        try await PanelRun.with { run in
            let browser = run.browser
            let choice = "document.querySelector('[data-property=palette]')"
            #expect(try await browser.waits(for: "!\(choice).disabled"))
            let before = try await browser.evaluate("\(choice).value")
            _ = try await browser.evaluate(
                """
                (() => {
                  const choice = \(choice);
                  choice.add(new Option("Nonsense", "nonsense"));
                  choice.value = "nonsense";
                  choice.dispatchEvent(new Event("change", { bubbles: true }));
                })()
                """)
            #expect(try await browser.waits(for: "\(choice).value !== 'nonsense'"))
            #expect(try await browser.evaluate("\(choice).value") == before)
        }
    }

    @Test func aClickInThePictureShowsAReactionThere() async throws {
        try await PanelRun.with { run in
            let browser = run.browser
            // A click shows the last choice, a hold the others. On a busy machine a click may last as long as a hold.
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

            // A button that is held repeats its effect.
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

    @Test("Tiles are shown over the picture, and a click in one shows a reaction in it")
    func tiles() async throws {
        try await PanelRun.with("--no-gestures --layout 2x1") { run in
            let browser = run.browser
            #expect(try await browser.waits(for: "document.querySelectorAll('#tiles span').length === 2"))
            #expect(
                try await browser.waits(
                    for: "document.getElementById('chosen').textContent === 'Click a tile to show “Thumbs up” in it'"))
            #expect(try await browser.waits(for: "!document.getElementById('preview').hidden"))
            // The tiles are where the picture is.
            #expect(
                try await browser.waits(
                    for: """
                        (() => {
                          const picture = pictureBox(), tile = document.querySelector("#tiles [data-tile='2']").getBoundingClientRect();
                          return Math.abs(tile.x - picture.x - picture.width / 2) < 2 && Math.abs(tile.right - picture.right) < 2
                            && Math.abs(tile.height - picture.height) < 2;
                        })()
                        """))
            var hasStarted = false
            for _ in 0..<5 where !hasStarted {
                _ = try await browser.evaluate("closePalette()")
                try await browser.click("#stage", at: (0.75, 0.5))
                hasStarted = try await browser.waits(for: says("Thumbs up started in tile 2"), seconds: 12)
            }
            #expect(hasStarted)
            // A page that is opened later has the tiles, too.
            try await run.open()
            #expect(try await browser.waits(for: "document.querySelectorAll('#tiles span').length === 2"))
            #expect(browser.complaints == [])
            let events = try await run.end()
            #expect(events.of("effectStarted").allSatisfy { $0["tile"]?["id"]?.integer == 2 })
        }
    }

    @Test func theShutterTakesPhotographs() async throws {
        let shutter = "document.getElementById('shutter')"
        try await PanelRun.with("--no-gestures --live --photos moments") { run in
            let browser = run.browser
            #expect(try await browser.waits(for: "\(shutter).ariaDisabled === 'false' && !\(shutter).disabled"))
            #expect(
                try await browser.waits(
                    for: "document.getElementById('photographs-where').textContent === 'Photographs go to moments'"))
            try await browser.click("#shutter")
            #expect(try await browser.waits(for: says("is finished")))
            // By the keyboard.
            _ = try await browser.evaluate("\(shutter).focus()")
            try await browser.press(key: "Enter", code: 13, text: "\r")
            #expect(
                try await browser.waits(
                    for: "document.getElementById('log').textContent.split('is finished').length > 2"))

            // The button's appearance follows readiness.
            for (readiness, isBusy, isOff) in [
                ("notReadyWaitingForProcessing", true, false), ("notReadyMomentarily", false, false),
                ("sessionNotRunning", false, true), ("ready", false, false),
            ] {
                let appearance = """
                    (showReadiness('\(readiness)'), \(shutter).classList.contains('busy') === \(isBusy)
                        && (\(shutter).ariaBusy === 'true') === \(isBusy) && \(shutter).disabled === \(isOff)
                        && (\(shutter).ariaDisabled === 'true') === \(readiness != "ready"))
                    """
                #expect(try await browser.waits(for: appearance), "\(readiness)")
            }
            #expect(try await browser.waits(for: "document.getElementById('scene').hidden"), "grey, and without noise")
            let badge = "document.getElementById('scene')"
            #expect(
                try await browser.waits(
                    for: "(showScene(true, true), !\(badge).hidden && \(badge).textContent.startsWith('Too dark'))"))
            try await checkNames(in: browser, buttons: 12)
            #expect(browser.complaints == [])
            let events = try await run.end()
            #expect(events.of("photoFinished").count >= 2)
            #expect(events.of("photoReadiness").first?["readiness"]?.string == "ready")
        }
        // Without a folder for photographs there is no shutter.
        try await PanelRun.with { run in
            let isHidden = try await run.browser.waits(for: "document.getElementById('photographs').hidden")
            #expect(isHidden)
        }
    }

    @Test func endingTheRunNeedsConfirmation() async throws {
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

    @Test func lostConnectionsAreShown() async throws {
        try await PanelRun.with { run in
            run.kill()
            let isReported = try await run.browser.waits(
                for: """
                    document.getElementById('banner').textContent.includes('connection to Flourish is lost')
                        && !document.getElementById('banner').hidden
                    """)
            #expect(isReported)
            #expect(try await run.browser.waits(for: Self.nothingCanBeUsed))
        }
    }

    private static let isHeldBack = "/another [45]:\\d\\d/.test(document.getElementById('snooze-left').textContent)"
    private static let undo = "#lines button[aria-label=\"Undo Rain\"]"

    @Test func runningEffectsCanBeUndone() async throws {
        try await PanelRun.with("--no-gestures --reaction fireworks@1") { run in
            let browser = run.browser
            // Events from before the page was opened are listed, also after a reload.
            #expect(try await browser.waits(for: says("Fireworks started")))
            try await run.open()
            #expect(try await browser.waits(for: says("Fireworks started")))

            // A running effect can be undone, here after a reload, unless it has ended by then.
            var isThere = false
            for _ in 0..<5 where !isThere {
                try await browser.click("[data-type=rain]")
                try await run.open()
                isThere = try await browser.waits(for: "document.querySelector('\(Self.undo)')", seconds: 4)
            }
            #expect(isThere)
            _ = try await browser.evaluate("document.querySelector('\(Self.undo)').focus()")
            try await browser.press(key: "Enter", code: 13, text: "\r")
            #expect(try await browser.waits(for: "!document.querySelector('\(Self.undo)')"))
            // The keyboard focus stays where it was.
            #expect(try await browser.evaluate("document.activeElement.id") == .text("log"))
            #expect(browser.complaints == [])
            #expect(try await !run.end().of("effectEnded").filter { $0["reactionType"]?.string == "rain" }.isEmpty)
        }
    }

    /// The page receives the end of an effect a moment late: until then it offers to undo an ended effect.
    @Test func undoingAnEndedEffectIsNoError() async throws {
        try await PanelRun.with { run in
            let browser = run.browser
            // The state of that moment: started for the page, not in progress for the program.
            _ = try await browser.evaluate(
                "follow({event: 'effectStarted', id: 4711, reactionType: 'rain', time: 0.1})")
            try await browser.click("#lines button[aria-label=\"Undo Rain\"]")
            let status = "document.getElementById('status')"
            #expect(try await browser.waits(for: "\(status).textContent === 'It was over already'"))
            #expect(try await browser.evaluate("\(status).classList.contains('bad')") == .flag(false))

            // The end arrives, and the run goes on.
            _ = try await browser.evaluate("follow({event: 'effectEnded', id: 4711, reactionType: 'rain', time: 0.2})")
            #expect(try await browser.evaluate("!document.querySelector('\(Self.undo)')") == .flag(true))
            try await browser.click("[data-type=heart]")
            #expect(try await browser.waits(for: says("Heart started")))
            #expect(browser.complaints == [])
            _ = try await run.end()
        }
    }

    @Test func gesturesCanBeSnoozed() async throws {
        try await PanelRun.with("--live") { run in
            let browser = run.browser
            let isOn = "document.querySelector('[data-property=gestureSnooze]').checked"
            // A page that gets too little processor time may miss a click.
            for _ in 0..<3 where try await browser.evaluate("!\(isOn)") == .flag(true) {
                try await browser.click("[data-property=gestureSnooze]")
                _ = try await browser.waits(for: isOn, seconds: 10)
            }
            #expect(try await browser.waits(for: Self.isHeldBack))
            #expect(try await browser.waits(for: says("Gestures are held back for 5:00")))
            #expect(try await browser.waits(for: "document.getElementById('snooze-left').textContent.includes(' 4:5')"))

            // A second page shows the change, and its own changes appear on the first.
            let first = browser.page
            try await browser.addPage()
            try await run.open()
            #expect(try await browser.waits(for: "\(isOn) && \(Self.isHeldBack)"))
            try await browser.click("[data-property=gestureSnooze]")
            #expect(try await browser.waits(for: "document.getElementById('snooze-left').hidden"))
            try await browser.turn(to: first)
            #expect(try await browser.waits(for: "!\(isOn) && document.getElementById('snooze-left').hidden"))
            #expect(try await browser.waits(for: says("Gestures count again")))

            // The snooze survives a reload, and ends on time.
            _ = try run.client().ask(
                ["command": .text("set"), "name": .text("gestureSnooze"), "value": .number(280)])
            try await run.open()
            #expect(try await browser.waits(for: "\(isOn) && \(Self.isHeldBack)"))
            _ = try run.client().ask(["command": .text("set"), "name": .text("gestureSnooze"), "value": .number(1)])
            #expect(try await browser.waits(for: "!\(isOn)"))
            #expect(browser.complaints == [])
            _ = try await run.end()
        }
    }

    @Test func liveRunsShowDroppedFrames() async throws {
        try await PanelRun.with("--no-gestures --live") { run in
            let browser = run.browser
            let why = "document.getElementById('quality-why').textContent"
            #expect(
                try await browser.waits(
                    for:
                        "/^Nothing is left out. (Reading the video|Drawing|Encoding) takes \\d+ % of the time/.test(\(why))"
                ))
            // The list of events and the figures have the same words, and an event leaves the figures alone.
            let before = try await browser.evaluate(why)
            let lowered = "{event: 'qualityChanged', time: 1, from: 'analysis', to: 'mask', load: 1.2}"
            #expect(try await browser.evaluate("follow(\(lowered)), \(why)") == before)
            #expect(
                try await browser.evaluate("words(\(lowered))")
                    == .text("Quality lowered, step 2 of 5: fewer looks for people"))
            #expect(
                try await browser.evaluate("words({event: 'qualityChanged', time: 1, from: 'detail', to: 'mask'})")
                    == .text("Quality raised, step 2 of 5"))
            let quality = "{lowered: ['analysis', 'mask'], load: 0.42, busiestStage: 'drawing'}"
            #expect(
                try await browser.evaluate(
                    "import('./status.js').then(({ showQuality }) => (showQuality(\(quality)), \(why)))")
                    == .text(
                        "To keep up: fewer looks for hands, fewer looks for people. Drawing takes 42 % of the time."))
            #expect(browser.complaints == [])
            _ = try await run.end()
        }
    }

    @Test func filesShowTheirNameAndDuration() async throws {
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
                    == .text("The gesture “Horns with both hands” is switched off"))
            #expect(browser.complaints == [])
            _ = try await run.end()
        }
    }

    @Test(.enabled(if: AxeCore.script != nil, "axe-core is not installed (axe-playwright-python of the PyPI)"))
    func axeFindsNoViolation() async throws {
        let script = try #require(AxeCore.script)
        try await PanelRun.with(ofFile: true, "--live") { run in
            let browser = run.browser
            _ = try await browser.evaluate(script + "; 0")
            try await browser.click("[data-type=rain]")
            #expect(try await browser.waits(for: says("Rain started")))
            try await browser.click("[data-property=gestureSnooze]")
            #expect(try await browser.waits(for: Self.isHeldBack))
            #expect(try await browser.waits(for: "!document.getElementById('quality').hidden"))
            try await AxeCore.check(browser, "as it is")
            try await checkWidth(of: browser)
            try await AxeCore.check(browser, "on a phone")
            try await browser.click("#stage", holding: .seconds(1))
            #expect(try await browser.waits(for: "!document.getElementById('palette').hidden"))
            try await AxeCore.check(browser, "with the palette")
            try await browser.click("[data-property=reactionEffectsEnabled]")
            #expect(try await browser.waits(for: says("Reactions are switched off")))
            try await AxeCore.check(browser, "without reactions")
            try await browser.click("#end")
            #expect(try await browser.waits(for: "document.getElementById('sure').open"))
            try await AxeCore.check(browser, "with the question")
            try await browser.click("#sure button[value=end]")
            #expect(try await browser.waits(for: Self.nothingCanBeUsed))
            try await AxeCore.check(browser, "at the end")
            _ = try await run.end(asks: false)
        }
    }

    private static let nothingCanBeUsed = """
        [...document.querySelectorAll('button:not(#sure button), input')].every((control) => control.disabled)
            && !document.body.classList.contains('live')
        """

    /// Clicks until the effect of the click is visible: an effect may end before a slow browser has checked, and an
    /// element may move while the page grows.
    private func clicks(_ selector: String, in browser: Chromium, until condition: String) async throws -> Bool {
        for _ in 0..<5 {
            try await browser.click(selector)
            if try await browser.waits(for: condition, seconds: 12) { return true }
        }
        return false
    }

    /// Expects nothing to be wider than a phone's screen.
    private func checkWidth(of browser: Chromium) async throws {
        try await browser.call(
            "Emulation.setDeviceMetricsOverride", ["width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true])
        #expect(try await browser.waits(for: "document.documentElement.scrollWidth <= 390"))
    }

    /// Expects an accessible name for every control.
    ///
    /// - Parameter buttons: eight reactions, the picture, Stop all and the end.
    private func checkNames(in browser: Chromium, buttons: Int = 11) async throws {
        let nodes = try await browser.call("Accessibility.getFullAXTree")["nodes"]?.array ?? []
        func role(_ node: JSONValue) -> String { node["role"]?["value"]?.string ?? "" }
        let used = nodes.filter { ["button", "switch", "slider", "log", "status"].contains(role($0)) }
        // An effect that can be undone may be running.
        let isUndo = { (node: JSONValue) in node["name"]?["value"]?.string?.hasPrefix("Undo ") == true }
        #expect(used.count { role($0) == "button" && !isUndo($0) } == buttons)
        #expect(used.count { role($0) == "switch" } == 12)
        for node in used where role(node) != "status" {
            #expect(node["name"]?["value"]?.string?.isEmpty == false, "\(node)")
        }
    }
}
