import Foundation
import TestSupport
import Testing

/// A recording on review, in a real browser.
@Suite(
    "The review in Chromium",
    .enabled(if: Chromium.program != nil, "Chromium is not installed (apt-get install chromium)"),
    .serialized, .timeLimit(.minutes(Hang.minutes)))
struct ReviewTests {
    static let thumb = ".block[data-type=thumbsUp]", confetti = ".block[data-type=confetti]"

    @Test func aReviewOpensPlaysEditsPreviewsAndRenders() async throws {
        try await ReviewRun.with { run in
            let browser = run.browser
            #expect(try await browser.waits(for: "document.getElementById('video').readyState >= 2"))
            #expect(try await browser.evaluate("document.querySelectorAll('.block.missed').length") == .integer(1))

            // Play: by the button, and by the keyboard.
            try await browser.click("#play")
            #expect(try await browser.waits(for: "document.getElementById('video').currentTime > 0.2"))
            try await run.press("k")
            #expect(try await browser.waits(for: "document.getElementById('video').paused"))

            // The frame of the gesture.
            try await browser.click(Self.thumb)
            #expect(try await browser.waits(for: "document.querySelectorAll('#seen .joint').length === 21"))
            #expect(try await browser.waits(for: "document.querySelector('#seen img').naturalWidth > 0"))
            #expect(try await browser.waits(for: "document.getElementById('facts').textContent.includes('Thumbs up')"))
            try await browser.click(".block.missed")
            #expect(
                try await browser.waits(for: "document.getElementById('reason').textContent.includes('too briefly')"))

            // Switched on, and back.
            try await run.press("e")
            try await run.waits { $0.allSatisfy { $0["enabled"]?.boolean == true } }
            try await browser.click("#undo")
            try await run.waits { $0.contains { $0["enabled"]?.boolean == false } }

            // Dragged, and back: to the very tick.
            let before = try run.reactions
            try await run.drag(Self.thumb, by: 120)
            try await run.waits { $0.contains { $0["reactionType"]?.string == "thumbsUp" && $0["startPTS"] == nil } }
            try await browser.click("#undo")
            try await run.waits { $0 == before }
            try await browser.click("#redo")
            try await run.waits { $0 != before }

            // Another type, one more, and one less, by the keyboard.
            try await browser.click(Self.thumb)
            try await run.press("7")
            try await run.waits { $0.contains { $0["reactionType"]?.string == "confetti" } }
            try await run.press("i")
            try await run.waits { $0.count == before.count + 1 }
            // A reaction that is added again is selected again.
            try await browser.click("#undo")
            try await run.waits { $0.count == before.count }
            try await browser.click("#redo")
            try await run.waits { $0.count == before.count + 1 }
            try await browser.press(key: "Delete", code: 46, text: "")
            try await run.waits { $0.count == before.count }

            // The preview of the effect.
            try await browser.click(".block[data-type=confetti]")
            _ = try await browser.evaluate("document.getElementById('effects').muted = true; 0")
            try await run.press("v")
            #expect(try await browser.waits(for: "document.getElementById('screen').classList.contains('effects')"))
            // No element of the page covers it.
            #expect(
                try await browser.evaluate("getComputedStyle(document.getElementById('crosshair')).visibility").string
                    == "hidden")
            #expect(
                try await browser.waits(
                    for:
                        "document.getElementById('effects').currentTime > 0.2 || document.getElementById('effects').hidden"
                ))

            // Rendered.
            try await browser.click("#render")
            #expect(
                try await browser.waits(
                    for:
                        "document.getElementById('outcome-text').textContent.includes('call.reacted.mp4 is done: 1 reaction')"
                ))
            #expect(run.bench.files.contains("call.reacted.mp4"))
            // It plays beside the recording, which leads, and can be downloaded.
            let result = "document.getElementById('result-video')"
            #expect(
                try await browser.waits(for: "!document.getElementById('result').hidden && \(result).currentTime > 0.2")
            )
            let isInStep = "Math.abs(\(result).currentTime - document.getElementById('video').currentTime) < 0.1"
            try await run.press("k")
            #expect(try await browser.waits(for: "\(result).paused && \(isInStep)"))
            try await browser.press(key: "End", code: 35, text: "")
            #expect(try await browser.waits(for: "\(result).currentTime > 6 && \(isInStep)"))
            #expect(
                try await browser.evaluate("document.getElementById('download').download") == .text("call.reacted.mp4"))
            #expect(
                try await browser.evaluate("fetch('result').then(async (r) => (await r.blob()).size)").integer ?? 0
                    > 9_999)
            try await browser.click(Self.confetti)
            try await run.press("e")
            #expect(
                try await browser.waits(
                    for: "document.getElementById('result-tag').textContent.includes('your last changes')"))
            try await browser.click("#undo")
            try await browser.click("#compare")
            #expect(try await browser.waits(for: "document.getElementById('result').hidden"))
            try await browser.click("#render")
            #expect(try await browser.waits(for: "document.getElementById('replace').open"))
            try await browser.click("#replace button[value=keep]")

            // Reopened, the plan is unchanged.
            let edited = try run.reactions
            try await run.open(run.url)
            #expect(
                try await browser.evaluate("document.querySelectorAll('.block').length")
                    == .integer(edited.count))
            #expect(try run.reactions == edited)
            #expect(browser.complaints.filter { !$0.contains("412") } == [])
        }
    }

    @Test func wordsAndEffectsOnTheWholeVideoAreChosen() async throws {
        try await ReviewRun.with { run in
            let browser = run.browser
            func write(_ id: String, _ value: String) async throws {
                _ = try await browser.evaluate(
                    """
                    (() => {
                      const field = document.getElementById('\(id)');
                      field.value = '\(value)';
                      for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true }));
                    })()
                    """)
            }
            try await browser.click(Self.thumb)
            try await browser.click("#kinds label:last-child")
            #expect(try await browser.waits(for: "document.activeElement === document.getElementById('words')"))
            try await write("words", "Well done")
            try await run.waits { $0.contains { $0["reactionType"]?.string == "text:Well done" } }
            #expect(
                try await browser.waits(for: "document.getElementById('one-title').textContent.includes('Well done')"))
            // Letters are keys of the page again once the field is left.
            _ = try await browser.evaluate("document.activeElement.blur(); 0")
            try await run.press("v")
            #expect(try await browser.waits(for: "document.getElementById('screen').classList.contains('effects')"))
            try await browser.press(key: "Escape", code: 27, text: "")
            try await browser.press(key: "Escape", code: 27, text: "")

            func style() throws -> JSONValue? {
                try JSONValue(parsing: String(decoding: run.bench.bytes("call.plan.json"), as: UTF8.self))["style"]
            }
            try await write("portrait", "0.6")
            try await run.bench.waits { try style()?["portrait"]?.number == 0.6 }
            #expect(try await browser.waits(for: "!document.getElementById('whole-video').hidden"))
            // Without a chosen reaction, the next seconds are shown.
            try await browser.click("#see-now")
            #expect(try await browser.waits(for: "document.getElementById('screen').classList.contains('effects')"))
            try await browser.click("#undo")
            try await run.bench.waits { try style()?["portrait"] == nil }
            #expect(try await browser.waits(for: "document.getElementById('whole-video').hidden"))
            #expect(browser.complaints == [])
        }
    }

    @Test("Tiles are drawn, merged and removed over the picture, and the timeline shows them")
    func tilesAreEdited() async throws {
        try await ReviewRun.with { run in
            let browser = run.browser
            #expect(try await browser.waits(for: "document.getElementById('video').readyState >= 2"))
            func tiles() throws -> [JSONValue] {
                let plan = try JSONValue(parsing: String(decoding: run.bench.bytes("call.plan.json"), as: UTF8.self))
                return plan["layouts"]?.array?.first?["tiles"]?.array ?? []
            }
            func waits(for ids: [Int]) async throws {
                try await run.bench.waits { try tiles().map { $0["id"]?.integer } == ids }
                #expect(
                    try await browser.waits(
                        for:
                            "[...document.querySelectorAll('#tiles .tile')].map((t) => +t.dataset.tile).join() === '\(ids.map(String.init).joined(separator: ","))'"
                    ))
            }
            try await browser.click("#edit-tiles")
            #expect(try await browser.waits(for: "!document.getElementById('tile-tools').hidden"))
            // Sides that nearly meet those of the picture, or of a neighbour, are where those are.
            try await run.drag("#tiles", from: (0.005, 0.006), to: (0.5, 0.5))
            try await waits(for: [1])
            let first = try #require(try tiles().first)
            #expect(first["x"]?.number == 0 && first["y"]?.number == 0)
            #expect(abs((first["width"]?.number ?? 0) - 0.5) < 0.01)
            try await run.drag("#tiles", from: (0.48, 0.01), to: (0.99, 0.5))
            try await waits(for: [1, 2])
            #expect(try tiles().last?["x"] == first["width"])
            try await run.drag("#tiles", from: (0.1, 0.6), to: (0.6, 0.95))
            try await waits(for: [1, 2, 3])

            // Two become one; the reactions of the other are those of the one.
            try await browser.click("#tiles [data-tile=\"1\"]")
            #expect(try await browser.waits(for: "document.getElementById('merge-tiles').disabled"))
            try await browser.click("#tiles [data-tile=\"2\"]")
            try await browser.click("#merge-tiles")
            try await waits(for: [1, 3])
            #expect(abs((try tiles().first?["width"]?.number ?? 0) - 1) < 0.001)
            // By the keyboard: chosen, and removed.
            _ = try await browser.evaluate("document.querySelector('#tiles [data-tile=\"3\"]').focus(); 0")
            try await browser.press(key: "Enter", code: 13, text: "\r")
            #expect(try await browser.waits(for: "document.querySelector('#tiles .chosen')?.dataset.tile === '3'"))
            try await browser.press(key: "Delete", code: 46, text: "")
            try await waits(for: [1])
            try await browser.click("#undo")
            try await waits(for: [1, 3])
            try await browser.click("#tiles-done")
            #expect(try await browser.waits(for: "document.getElementById('tile-tools').hidden"))

            // A place in a tile is a place of that tile, and has a lane of its own.
            try await browser.click(Self.thumb)
            try await browser.click("#stage", at: (0.3, 0.8))
            try await run.waits { $0.contains { $0["tile"]?.integer == 3 } }
            #expect(
                try await browser.waits(
                    for: "document.getElementById('lane-names').textContent === 'Tile 3Whole picture'"))
            #expect(try await browser.waits(for: "document.getElementById('place').textContent.startsWith('tile 3, ')"))
            #expect(
                try await browser.waits(
                    for: "document.querySelector('\(Self.thumb)').ariaLabel.startsWith('Thumbs up in tile 3 at')"))

            // Nothing is shown in a tile that is removed.
            try await run.press("t")
            try await browser.click("#tiles [data-tile=\"3\"]")
            try await browser.click("#remove-tiles")
            try await waits(for: [1])
            try await run.waits { $0.allSatisfy { $0["tile"] == nil || $0["enabled"]?.boolean == false } }
            #expect(browser.complaints == [])
        }
    }

    @Test func twoPagesOnOnePlanSeeEachOthersChanges() async throws {
        try await ReviewRun.with { run in
            let browser = run.browser
            let first = browser.page
            try await browser.addPage()
            try await run.open(run.url)
            let second = browser.page
            func count(_ type: String) -> String { "document.querySelectorAll('.block[data-type=\(type)]').length" }

            // The first page shows the second's change, and changes something else without reverting it.
            try await browser.click(Self.thumb)
            try await run.press("7")
            #expect(try await browser.waits(for: "\(count("confetti")) === 1"))
            try await browser.turn(to: first)
            #expect(try await browser.waits(for: "\(count("confetti")) === 1 && \(count("thumbsUp")) === 0"))
            try await browser.click(".block.missed")
            try await run.press("e")
            #expect(try await browser.waits(for: "document.querySelectorAll('.block.missed').length === 0"))
            try await browser.turn(to: second)
            #expect(try await browser.waits(for: "document.querySelectorAll('.block.missed').length === 0"))
            try await run.waits { reactions in
                reactions.allSatisfy { $0["enabled"]?.boolean == true }
                    && reactions.contains { $0["reactionType"]?.string == "confetti" }
            }

            // Each page undoes its own changes only.
            try await browser.click("#undo")
            #expect(try await browser.waits(for: "\(count("thumbsUp")) === 1"))
            try await browser.turn(to: first)
            #expect(try await browser.waits(for: "\(count("thumbsUp")) === 1"))
            #expect(try await browser.evaluate("document.querySelectorAll('.block.missed').length") == .integer(0))
            try await browser.click("#undo")
            try await run.waits { $0.contains { $0["enabled"]?.boolean == false } }
            try await browser.turn(to: second)
            #expect(try await browser.waits(for: "document.querySelectorAll('.block.missed').length === 1"))
            #expect(browser.complaints.filter { !$0.contains("412") && !$0.contains("409") } == [])
        }
    }

    @Test func theWholeTimelineCanBeShownAgain() async throws {
        try await ReviewRun.with { run in
            let browser = run.browser
            // A reaction at the very end, without room there.
            _ = try await browser.evaluate("document.getElementById('video').currentTime = 1e6; 0")
            #expect(try await browser.waits(for: "document.getElementById('video').currentTime > 6"))
            try await browser.click("#add")
            try await run.waits { $0.count == 3 }
            for _ in 0..<4 { try await browser.click("#zoom-in") }
            let view = "document.getElementById('view')"
            _ = try await browser.evaluate("\(view).scrollLeft = 1e6; 0")
            #expect(try await browser.waits(for: "\(view).scrollLeft > 500"))
            try await browser.click("#zoom-all")
            #expect(
                try await browser.waits(for: "\(view).scrollLeft === 0 && \(view).scrollWidth === \(view).clientWidth"))
            // The ruler begins where the track does.
            let places = "['strip', 'track'].map((id) => document.getElementById(id).getBoundingClientRect().x)"
            #expect(try await browser.evaluate("new Set(\(places)).size") == .integer(1))
        }
    }

    @Test func externalEditsAreLoadedAndTheProgramContinues() async throws {
        try await ReviewRun.with { run in
            let browser = run.browser
            let text = String(decoding: try run.bench.bytes("call.plan.json"), as: UTF8.self)
            try run.bench.write(text.replacing("\"thumbsUp\"", with: "\"rain\""), as: "call.plan.json")
            #expect(try await browser.waits(for: "document.querySelector('.block[data-type=rain]') !== null"))
            try run.bench.write("{ broken", as: "call.plan.json")
            #expect(
                try await browser.waits(for: "document.getElementById('banner').textContent.includes('call.plan.json')")
            )
            #expect(try await browser.waits(for: "!document.body.classList.contains('live')"))
            try run.bench.write(text, as: "call.plan.json")
            #expect(try await browser.waits(for: "document.body.classList.contains('live')"))

            // The program ends and restarts: the plan is unchanged.
            run.program.send(signal: 2)
            _ = try await run.program.result()
            #expect(
                try await browser.waits(
                    for: "document.getElementById('banner').textContent.includes('connection to Flourish is lost')"))
            #expect(run.bench.files.allSatisfy { !$0.contains("partial") && !$0.contains("rendering") })
            let (again, url) = try await ReviewRun.start(in: run.bench)
            try await run.open(url)
            #expect(try await browser.evaluate("document.querySelectorAll('.block').length") == .integer(2))
            again.send(signal: 2)
            #expect(try await again.result().exitCode == 0)
        }
    }

    @Test func unplayableFilesAreShownAsPreviews() async throws {
        try await ReviewRun.with(codedAs: ["-c:v", "mpeg4", "-q:v", "4"]) { run in
            #expect(try await run.browser.waits(for: "!document.getElementById('made').hidden"))
            #expect(try await run.browser.waits(for: "document.getElementById('video').videoWidth === 480"))
            try await run.browser.click(Self.thumb)
            #expect(try await run.browser.waits(for: "document.getElementById('video').readyState >= 2"))
            // Steps one frame from the current position, not to the beginning of the preview.
            let time = "parseFloat(document.getElementById('time').textContent.slice(2))"
            guard let before = try await run.browser.evaluate(time).number else {
                Issue.record("no time is shown")
                return
            }
            #expect(before > 0.5)
            for _ in 0..<3 {
                try await run.browser.click("#step-on")
                #expect(try await run.browser.waits(for: "document.getElementById('video').readyState >= 2"))
            }
            #expect(try await run.browser.waits(for: "\(time) > \(before) && \(time) < \(before) + 0.5"))
        }
    }

    /// Users count from the first picture, which may come later on the recording's clock than its sound.
    @Test(arguments: [
        ["-c:v", "copy", "-output_ts_offset", "5"],
        ["-itsoffset", "2", "-i", "drawn.mp4", "-map", "1:v", "-map", "0:a", "-c:v", "copy"],
    ])
    func timesAreCorrectForAnyClockOrigin(_ coding: [String]) async throws {
        try await ReviewRun.with(codedAs: coding) { run in
            let browser = run.browser
            let plan = try JSONValue(parsing: String(decoding: run.bench.bytes("call.plan.json"), as: UTF8.self))
            let begin = try #require(plan["source"]?["startTime"]?.number)
            let thumb = try #require(run.reactions.first { $0["reactionType"]?.string == "thumbsUp" })
            let start = try #require(thumb["startTime"]?.number)
            #expect(begin >= 2)
            #expect(try await browser.waits(for: "document.getElementById('video').readyState >= 2"))
            let time = "parseFloat(document.getElementById('time').textContent.slice(2))"
            #expect(try await browser.waits(for: "\(time) === 0"))
            try await browser.click(Self.thumb)
            #expect(
                try await browser.waits(for: "Math.abs(document.getElementById('video').currentTime - \(start)) < 0.1"))
            #expect(try await browser.waits(for: "Math.abs(\(time) - \(start - begin)) < 0.1"))
            try await run.press("i")
            try await run.waits { reactions in
                reactions.count { abs(($0["startTime"]?.number ?? 0) - start) < 0.2 } == 2
            }
            try await run.press("v")
            let asked = "(document.getElementById('effects').src.match(/from=([0-9.]+)/) ?? [])[1]"
            #expect(try await browser.waits(for: "Math.abs(\(asked) - \(start - begin - 0.6)) < 0.1"))
            #expect(browser.complaints == [])
        }
    }
}
