import Foundation
import TestSupport
import Testing

/// Reactions are edited while others change the plan, while the disk is full, and by users who cannot see the page.
extension ReviewTests {
    @Test func concurrentChangesDoNotInterruptEditing() async throws {
        try await ReviewRun.with { run in
            let browser = run.browser
            let plan = String(decoding: try run.bench.bytes("call.plan.json"), as: UTF8.self)
            // A time is being typed.
            try await browser.click(Self.thumb)
            _ = try await browser.evaluate("document.getElementById('starts').select(); 0")
            for (key, code) in [("0", 48), (":", 186), ("0", 48)] {
                try await browser.press(key: key, code: code, text: key)
            }
            try run.bench.write(plan.replacing("\"balloons\"", with: "\"rain\""), as: "call.plan.json")
            #expect(try await browser.waits(for: "document.querySelector('.block[data-type=rain]') !== null"))
            #expect(try await browser.evaluate("document.getElementById('starts').value") == .text("0:0"))
            try await browser.press(key: "Enter", code: 13, text: "\r")
            try await run.waits { $0.contains { $0["startTime"]?.number == 0 } }

            // A reaction that another page removed cannot be undone, and does not block other undo steps.
            try await browser.click(".block[data-type=rain]")
            try await run.press("e")
            try await run.waits { $0.allSatisfy { $0["enabled"]?.boolean == true } }
            try run.remove("rain")
            #expect(try await browser.waits(for: "document.querySelector('.block[data-type=rain]') === null"))
            try await browser.click("#undo")
            #expect(try await run.says("Somebody else removed it"))
            try await browser.click("#undo")
            try await run.waits { $0.allSatisfy { $0["startTime"]?.number ?? 0 > 0 } }
            #expect(try await browser.waits(for: "document.getElementById('undo').disabled"))

            // A click into the picture plays, and Space pauses.
            try await browser.press(key: "Escape", code: 27, text: "")
            try await browser.click("#stage")
            #expect(try await browser.waits(for: "!document.getElementById('video').paused"))
            try await browser.press(key: " ", code: 32, text: " ")
            #expect(try await browser.waits(for: "document.getElementById('video').paused"))
            #expect(browser.complaints == [])
        }
    }

    /// A line at the page's foot describes each action, and stays visible to screen readers.
    @Test func everyActionIsAnnounced() async throws {
        try await ReviewRun.with { run in
            let browser = run.browser
            let line = "document.getElementById('said')"
            let isSeen = "getComputedStyle(\(line)).opacity === '1'"
            try await browser.click(Self.thumb)
            for words in ["switched off", "switched on"] {
                try await run.press("e")
                #expect(try await run.says(words))
                #expect(try await browser.evaluate(isSeen) == .flag(true))
                // Some seconds later.
                _ = try await browser.evaluate("\(line).getAnimations().forEach((animation) => animation.finish()); 0")
                #expect(try await browser.waits(for: "getComputedStyle(\(line)).opacity === '0'"))
                #expect(
                    try await browser.evaluate("getComputedStyle(\(line)).visibility === 'visible'") == .flag(true))
            }
            #expect(browser.complaints == [])
        }
    }

    /// A refused change leaves the undo and redo stacks as they were.
    @Test func failedSavesCanBeRetried() async throws {
        try await ReviewRun.with { run in
            let browser = run.browser
            func disk(isFull: Bool) async throws {
                _ = try await browser.evaluate(
                    """
                    import(new URL('server.js', document.baseURI)).then(({ server, Refused }) => {
                      window.usual ??= server.change;
                      server.change = \(isFull) ? async () => { throw new Refused(507, { error: 'the disk is full' }); } : window.usual;
                    })
                    """)
            }
            let steps = "[document.getElementById('undo').disabled, document.getElementById('redo').disabled].join()"
            try await browser.click(Self.thumb)
            try await run.press("e")
            try await run.waits { $0.allSatisfy { $0["enabled"]?.boolean == false } }
            try await disk(isFull: true)
            try await browser.click("#undo")
            #expect(try await run.says("Not saved: the disk is full"))
            #expect(try await browser.waits(for: "\(steps) === 'false,true'"))
            #expect(try run.reactions.allSatisfy { $0["enabled"]?.boolean == false })
            try await disk(isFull: false)
            try await browser.click("#undo")
            try await run.waits { $0.contains { $0["enabled"]?.boolean == true } }
            try await disk(isFull: true)
            try await browser.click("#redo")
            #expect(try await browser.waits(for: "\(steps) === 'true,false'"))
            try await run.press("7")
            #expect(try await browser.waits(for: "!document.querySelector('.block[data-type=confetti]')"))
            #expect(try await browser.waits(for: "document.getElementById('undo').disabled"))
            #expect(browser.complaints == [])
        }
    }

    /// A single picture may show no hand while it moves; another picture of the hold shows the gesture.
    @Test func thePictureShowsTheHeldGesture() async throws {
        try await ReviewRun.with { run in
            let browser = run.browser
            _ = try await browser.evaluate(
                """
                import(new URL('server.js', document.baseURI)).then(({ server }) => {
                  const usual = server.seen;
                  let isFirst = true;
                  server.seen = async (...asked) => {
                    const seen = await usual(...asked);
                    if (!isFirst) return seen;
                    isFirst = false;
                    window.firstTime = asked[0].toFixed(3);
                    for (const hand of seen.hands) [hand.gesture, hand.reason] = [null, 'fingers half bent'];
                    return { ...seen, gesture: null };
                  };
                })
                """)
            try await browser.click(Self.thumb)
            let words = "document.querySelector('#seen .hands').textContent"
            #expect(try await browser.waits(for: "/hand: thumbs up$/.test(\(words))"))
            #expect(try await browser.evaluate("\(words).includes('no sign')") == .flag(false))
            #expect(
                try await browser.waits(
                    for: "!document.querySelector('#seen img').src.includes('time=' + window.firstTime)"))
            #expect(browser.complaints == [])
        }
    }

    @Test(.enabled(if: AxeCore.script != nil, "axe-core is not installed (axe-playwright-python of the PyPI)"))
    func axeFindsNoViolation() async throws {
        let script = try #require(AxeCore.script)
        try await ReviewRun.with { run in
            let browser = run.browser
            _ = try await browser.evaluate(script + "; 0")
            func check(_ state: String) async throws {
                try await AxeCore.check(
                    browser, state, features: [["name": "prefers-reduced-motion", "value": "reduce"]])
            }
            try await check("the list")
            try await browser.click(".block.missed")
            #expect(try await browser.waits(for: "document.querySelectorAll('#seen .joint').length > 0"))
            try await check("one that was missed")
            try await run.press("t")
            try await run.drag("#tiles", from: (0.005, 0.006), to: (0.5, 0.5))
            #expect(try await browser.waits(for: "document.querySelectorAll('#tiles button').length === 1"))
            try await check("with tiles")
            try await run.press("t")
            try await browser.call(
                "Emulation.setDeviceMetricsOverride",
                ["width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true])
            #expect(try await browser.waits(for: "document.documentElement.scrollWidth <= 390"))
            try await check("on a phone")
            try await browser.press(key: "?", code: 191, text: "?")
            #expect(try await browser.waits(for: "document.getElementById('help').open"))
            try await check("with the keys")
        }
    }
}
