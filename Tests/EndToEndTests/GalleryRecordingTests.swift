import Foundation
import Testing
import TestSupport

@Suite("Recordings of galleries")
struct GalleryRecordingTests {
    /// Four callers, of whom two make gestures at about the same time; the third leaves afterwards.
    private static let script = """
        {
          "width": 960, "height": 540, "rate": 15, "duration": 7, "gutter": 12, "margin": 12, "corner": 8,
          "callers": [
            { "name": "Ada", "cues": [ { "time": 1.2, "pose": "thumbUp", "hands": "left", "hold": 1.7 } ] },
            { "name": "Ben", "scene": { "skin": "dark", "wall": "#c9b79c", "seed": 5 } },
            { "name": "Chi", "scene": { "wall": "#5d6f8c", "seed": 9 } },
            { "name": "Dev", "scene": { "wall": "#70879c", "seed": 3 },
              "cues": [ { "time": 1.6, "pose": "victory", "hands": "right", "hold": 1.7 } ] }
          ],
          "views": [
            { "time": 0, "kind": "grid", "callers": ["Ada", "Ben", "Chi", "Dev"] },
            { "time": 5, "kind": "grid", "callers": ["Ada", "Dev"] }
          ]
        }
        """

    private static func draw(_ bench: Workbench) async throws {
        try await bench.draw(script: script, as: "in.mp4")
    }

    /// The pixels of a tile, as FFmpeg's `crop` takes them.
    private static func crop(_ tile: JSONValue) -> String {
        func pixels(_ key: String, _ size: Double) -> Int { Int(((tile[key]?.number ?? 0) * size).rounded()) }
        return "crop=\(pixels("width", 960)):\(pixels("height", 540)):\(pixels("x", 960)):\(pixels("y", 540)):exact=1"
    }

    @Test("An inspection shows each tile, and the whole picture with --layout single")
    func tilesAreInspected() async throws {
        try await Workbench.with { bench in
            try await Self.draw(bench)
            let lines = try await bench.flourish(["inspect", "in.mp4", "--json"]).jsonLines()
            let fired = lines.filter { $0["reason"]?.string == "fired" }
            #expect(fired.map { $0["tile"]?["id"]?.integer } == [1, 4])
            #expect(fired.map { $0["gesture"]?.string } == ["thumbsUp", "victory"])
            // The landmarks are places in the whole picture.
            let wrists = fired.map { $0["hands"]?[0]?["landmarks"]?[0] }
            #expect(wrists.map { ($0?[0]?.number ?? 0) > 0.5 } == [false, true])
            #expect(wrists.map { ($0?[1]?.number ?? 0) > 0.5 } == [false, true])
            let text = try await bench.flourish(["inspect", "in.mp4"])
            #expect(text.standardOutput.contains(" s  tile 4  victory"))

            let whole = try await bench.flourish(["inspect", "in.mp4", "--json", "--layout", "single"]).jsonLines()
            #expect(!whole.isEmpty && whole.allSatisfy { $0["tile"] == nil })
        }
    }

    @Test("Each person reacts in the own tile, and all pixels outside of it stay as they are")
    func everyTileIsAStage() async throws {
        try await Workbench.with { bench in
            try await Self.draw(bench)
            let run = try await bench.flourish(
                [
                    "filter", "in.mp4", "out.mkv", "--events", "-", "--smart-render", "never", "--crf", "0", "--preset",
                    "ultrafast",
                ], timeout: .seconds(Hang.seconds))
            try #require(run.exitCode == 0, "\(run.standardError)")
            let events = try EventLines(run.standardOutput)

            let layouts = events.of("layoutChanged")
            #expect(layouts.map { $0["tiles"]?.array?.count } == [4, 2])
            let tiles = try #require(layouts.first?["tiles"]?.array)
            #expect((layouts.first?["time"]?.number ?? 9) <= 1)
            #expect((5...6).contains(layouts.last?["time"]?.number ?? 0))
            // Callers keep their numbers.
            #expect(layouts.last?["tiles"]?.array?.map { $0["id"]?.integer } == [1, 4])

            let gestures = events.of("gesture")
            #expect(gestures.map { $0["gesture"]?.string } == ["thumbsUp", "victory"])
            #expect(gestures.map { $0["tile"]?["id"]?.integer } == [1, 4])
            #expect(events.of("effectStarted").map { $0["tile"]?["id"]?.integer } == [1, 4])
            #expect(events.of("effectEnded").count == 2)

            // Tiles without a reaction are the same as in the input until the layout changes.
            for index in [1, 2] {
                let filter = Self.crop(tiles[index]) + ",trim=end=4.9"
                for name in ["in.mp4", "out.mkv"] {
                    try await bench.ffmpeg(
                        ["-i", name, "-vf", filter, "-c:v", "rawvideo", "-f", "nut", "\(name).nut"])
                }
                let (before, after) = (
                    try await bench.checksums("in.mp4.nut"), try await bench.checksums("out.mkv.nut")
                )
                #expect(before.count > 50 && before == after, "tile \(index + 1)")
            }
            let drawn = Self.crop(tiles[3]) + ",select='between(t,3.2,3.6)'"
            for name in ["in.mp4", "out.mkv"] {
                try await bench.ffmpeg(
                    ["-i", name, "-vf", drawn, "-c:v", "rawvideo", "-f", "nut", "\(name).nut"])
            }
            #expect(try await bench.checksums("in.mp4.nut") != bench.checksums("out.mkv.nut"))
        }
    }

    @Test("The summary lists the reactions by tile, as text and as JSON")
    func summaries() async throws {
        try await Workbench.with { bench in
            try await Self.draw(bench)
            let text = try await bench.flourish(
                ["detect", "in.mp4", "--summary", "--events", "events.jsonl"], timeout: .seconds(Hang.seconds))
            try #require(text.exitCode == 0, "\(text.standardError)")
            let starts = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
                .of("effectStarted").compactMap { $0["time"]?.number }
            try #require(starts.count == 2)
            let clocks = starts.map { "0:0\(Int($0))" }
            #expect(
                text.standardOutput == """
                    2 reactions in 2 of 4 tiles
                    tile 1 (row 1, column 1): thumbs up at \(clocks[0])
                    tile 4 (row 2, column 2): balloons at \(clocks[1])

                    """)
            #expect(text.standardError.isEmpty)

            let json = try await bench.flourish(
                ["detect", "in.mp4", "--summary", "--json"], timeout: .seconds(Hang.seconds))
            try #require(json.exitCode == 0, "\(json.standardError)")
            let summary = try JSONValue(parsing: json.standardOutput)
            #expect(summary["input"]?.string == "in.mp4" && summary["reactionCount"]?.integer == 2)
            #expect(summary["reactions"]?.array?.map { $0["tile"]?["id"]?.integer } == [1, 4])
            let tiles = try #require(summary["tiles"]?.array)
            // The tile of the caller who left is where it was before.
            #expect(tiles.map { $0["id"]?.integer } == [1, 2, 3, 4])
            #expect(tiles[2]["row"]?.integer == 2 && tiles[2]["column"]?.integer == 1)
        }
    }

    @Test("The final line, the report and the cues name the tile; an extension, too")
    func outputsNameTheTile() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "192x108", seconds: 3)
            func run(_ options: [String]) async throws -> (events: EventLines, line: String) {
                let result = try await bench.flourish(
                    [
                        "in.mp4", "out.mp4", "--overwrite", "--no-gestures", "--smart-render", "never", "--events",
                        "events.jsonl", "--sidecar", "cues.vtt", "--report", "report.json", "--reaction",
                        "heart@0.5,0.75,0.5", "--reaction", "heart@2,0.75,0.5",
                    ] + options)
                try #require(result.exitCode == 0, "\(result.standardError)")
                return (
                    try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self)),
                    try #require(result.report)
                )
            }
            let (events, line) = try await run(["--layout", "2x2"])
            #expect(line.contains("1 reaction: heart at 0:00 in tile 4 (row 2, column 2) → out.mp4"), "\(line)")
            #expect(events.of("effectExtended").map { $0["tile"]?["id"]?.integer } == [4])
            let report = try JSONValue(parsing: String(decoding: bench.bytes("report.json"), as: UTF8.self))
            #expect(report["effects"]?.array?.map { $0["tile"]?["id"]?.integer } == [4])
            #expect(String(decoding: try bench.bytes("report.svg"), as: UTF8.self).contains(">heart, tile 4</text>"))
            let cues = String(decoding: try bench.bytes("cues.vtt"), as: UTF8.self)
            #expect(cues.contains(#""tile":{"height":0.5,"id":4,"width":0.5,"x":0.5,"y":0.5}"#), "\(cues)")

            // Without tiles no output has such a field.
            let (single, plain) = try await run(["--layout", "single"])
            #expect(single.of("effectExtended").count == 1 && !plain.contains("tile"))
            for name in ["events.jsonl", "report.json", "report.svg", "cues.vtt"] {
                #expect(!String(decoding: try bench.bytes(name), as: UTF8.self).contains("tile"), "\(name)")
            }
        }
    }

    @Test(
        "A photograph of a reaction in a tile shows the tile's picture, at once and finished later",
        arguments: [["--photo-quality", "speed"], ["--photo-quality", "quality", "--photo-deferred", "end"]],
        ["auto", "never"])
    func photographs(options: [String], smart: String) async throws {
        try await Workbench.with { bench in
            try await Self.draw(bench)
            let run = try await bench.flourish(
                [
                    "filter", "in.mp4", "out.mp4", "--events", "-", "--smart-render", smart, "--photos", "moments",
                    "--photo-type", "png", "--end", "4.5",
                ] + options, timeout: .seconds(Hang.seconds))
            try #require(run.exitCode == 0, "\(run.standardError)")
            let events = try EventLines(run.standardOutput)
            let tiles = try #require(events.of("layoutChanged").first?["tiles"]?.array)
            let photos = events.of("photoFinished")
            #expect(photos.map { $0["tile"]?["id"]?.integer } == [1, 4] && events.of("photoFailed").isEmpty)
            for photo in photos {
                let tile = try #require(tiles.first { $0["id"] == photo["tile"]?["id"] })
                let path = try #require(photo["path"]?.string), time = try #require(photo["photoTime"]?.number)
                try await bench.ffmpeg(
                    ["-ss", "\(time - 0.001)", "-i", "in.mp4", "-frames:v", "1", "-vf", Self.crop(tile), "then.png"])
                let size = try PNGSize(bench.bytes("then.png"))
                #expect(try PNGSize(bench.bytes(path)) == size)
                #expect(photo["width"]?.integer == size.width && photo["height"]?.integer == size.height)
                #expect(try await bench.likeness(path, "then.png") > 26, "\(path)")
            }
        }
    }

    /// The size of a PNG file, from its header.
    private struct PNGSize: Equatable {
        let width: Int, height: Int

        init(_ bytes: Data) throws {
            try #require(bytes.count > 24)
            func number(at offset: Int) -> Int { bytes.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) } }
            (width, height) = (number(at: 16), number(at: 20))
        }
    }

    @Test("Smart rendering draws the same reactions in the same tiles, and a plan keeps them")
    func smartRenderingAndPlans() async throws {
        try await Workbench.with { bench in
            try await Self.draw(bench)
            let run = try await bench.flourish(
                ["filter", "in.mp4", "out.mp4", "--events", "-", "--smart-render", "always"],
                timeout: .seconds(Hang.seconds))
            try #require(run.exitCode == 0, "\(run.standardError)")
            let events = try EventLines(run.standardOutput)
            let layouts = events.of("layoutChanged")
            #expect(layouts.map { $0["tiles"]?.array?.count } == [4, 2])
            // The scan knows later when the tiles appeared.
            let times = layouts.compactMap { $0["time"]?.number }
            #expect(times.count == 2 && times[0] < 0.1 && (4.95...5.35).contains(times[1]), "\(times)")
            #expect(events.of("effectStarted").map { $0["tile"]?["id"]?.integer } == [1, 4])

            try await Program.flourish.succeed(["plan", "in.mp4", "-q"], in: bench.folder)
            let plan = try JSONValue(parsing: String(decoding: bench.bytes("in.plan.json"), as: UTF8.self))
            #expect(plan["layouts"]?.array?.count == 2)
            #expect(plan["reactions"]?.array?.map { $0["tile"]?.integer } == [1, 4])
            let render = try await bench.flourish(
                ["filter", "in.mp4", "planned.mp4", "--plan", "in.plan.json", "--events", "-"],
                timeout: .seconds(Hang.seconds))
            try #require(render.exitCode == 0, "\(render.standardError)")
            let planned = try EventLines(render.standardOutput)
            #expect(planned.of("effectStarted").map { $0["tile"]?["id"]?.integer } == [1, 4])
        }
    }

    @Test(
        "Without gestures, tiles are found around reactions with a place, on every route",
        arguments: [["--smart-render", "always"], ["--smart-render", "never"], ["--overlay"]])
    func placesWithoutGestures(route: [String]) async throws {
        try await Workbench.with { bench in
            try await Self.draw(bench)
            let run = try await bench.flourish(
                [
                    "filter", "in.mp4", "out.mkv", "--events", "-", "--no-gestures", "--reaction",
                    "balloons@3,0.75,0.25", "--reaction", "heart@4.3,0.2,0.8", "--reaction", "confetti@4",
                ] + route, timeout: .seconds(Hang.seconds))
            try #require(run.exitCode == 0, "\(run.standardError)")
            let events = try EventLines(run.standardOutput)
            #expect(events.of("effectStarted").map { $0["tile"]?["id"]?.integer } == [2, nil, 3])
            // The third caller leaves at 5 s: the effect in that tile fades out.
            let heart = try #require(events.of("effectEnded").first { $0["reactionType"]?.string == "heart" })
            #expect((5...6.3).contains(heart["endTime"]?.number ?? 0))
        }
    }

    @Test(
        "Without gestures, tiles are found for Portrait and Studio Light", arguments: ["--portrait", "--studio-light"])
    func videoEffectsWithoutGestures(effect: String) async throws {
        try await Workbench.with { bench in
            try await Self.draw(bench)
            let run = try await bench.flourish(
                ["filter", "in.mp4", "out.mp4", "--events", "-", "--no-gestures", effect, "0.5", "--end", "2"],
                timeout: .seconds(Hang.seconds))
            try #require(run.exitCode == 0, "\(run.standardError)")
            let layouts = try EventLines(run.standardOutput).of("layoutChanged")
            #expect(layouts.map { $0["tiles"]?.array?.count } == [4])
        }
    }

    @Test("A layout of the user's own decides, and a place chooses the tile")
    func chosenLayouts() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", size: "192x108", seconds: 2)
            let events = try await bench.filter(
                "in.mp4", "out.mp4",
                [
                    "--layout", "2x1", "--reaction", "balloons@0.5,0.75,0.5", "--reaction", "balloons@0.5,0.25,0.5",
                    "--reaction", "confetti@1",
                ])
            #expect(events.of("effectStarted").map { $0["tile"]?["id"]?.integer } == [2, 1, nil])
            let single = try await bench.filter(
                "in.mp4", "single.mp4", ["--layout", "single", "--reaction", "balloons@0.5,0.75,0.5"])
            #expect(single.of("effectStarted").first?["tile"] == nil)
            #expect(single.of("layoutChanged").isEmpty)
        }
    }

    @Test(
        "Layouts that cannot be are refused in one line",
        arguments: [
            ("3by2", 64, "3x2"), ("none.json", 66, "none.json"), ("bad.json", 65, "tiles 1 and 2 overlap"),
            ("outside.json", 65, "not within the picture"),
        ])
    func refusals(_ layout: String, _ code: Int32, _ part: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4")
            try bench.write(
                #"{"tiles":[{"x":0,"y":0,"width":0.6,"height":1},{"x":0.5,"y":0,"width":0.5,"height":1}]}"#,
                as: "bad.json")
            try bench.write(#"{"tiles":[{"x":0.6,"y":0,"width":0.5,"height":1}]}"#, as: "outside.json")
            let run = try await bench.flourish(["filter", "in.mp4", "out.mp4", "--layout", layout])
            #expect(run.exitCode == code, "\(run.standardError)")
            #expect(run.standardError.contains(part), "\(run.standardError)")
            #expect(run.standardError.split(separator: "\n").count == 1)
            #expect(!bench.files.contains("out.mp4"))
        }
    }
}
