import Foundation
import Testing
import TestSupport

/// The text of a plan for a recording of 40 s at a frame rate.
private func plan(_ frameRate: String = "29.97003", start: Double = 0) -> String {
    """
    {"schema": 1, "source": {"path": "my & call.mp4", "size": 100, "fingerprint": "murmur3:00", "codec": "h264", "width": 64,
      "height": 48, "frameRate": \(frameRate), "timeBase": "1/30000", "startTime": \(start), "duration": 40.04, "frames": 1200},
     "reactions": [
      {"id": 1, "reactionType": "thumbsUp", "startTime": \(start + 5.005), "endTime": \(start + 7.007), "mine": true},
      {"id": 2, "reactionType": "rain", "startTime": \(start + 5.005), "endTime": \(start + 7.007), "enabled": false,
       "reason": "heldTooBriefly", "note": "<2> | \\"ü\\""},
      {"id": 3, "reactionType": "confetti", "startTime": \(start + 20.02), "endTime": \(start + 24.024)}]}
    """
}

@Suite("Plans as markers")
struct PlanConvertTests {
    private func convert(_ bench: Workbench, _ arguments: String...) async throws -> ProgramResult {
        try await bench.flourish(["plan", "convert"] + arguments)
    }

    @Test(arguments: ["otio", "edl", "csv"]) func markersSurviveARoundTrip(_ ending: String) async throws {
        try await Workbench.with { bench in
            try bench.write(plan(start: 1.4), as: "p.json")
            let there = try await convert(bench, "p.json", "m.\(ending)")
            #expect(there.exitCode == 0 && there.errorLines == ["flourish: 2 shown, 1 not shown → m.\(ending)"])
            let back = try await convert(bench, "m.\(ending)", "p.json")
            #expect(back.exitCode == 0 && back.errorLines == ["flourish: nothing changed → p.json"])
            #expect(try bench.bytes("p.json") == Data(plan(start: 1.4).utf8))
            #expect(bench.files == ["m.\(ending)", "p.json"])
        }
    }

    @Test func changesAreReported() async throws {
        try await Workbench.with { bench in
            try bench.write(plan("25"), as: "p.json")
            _ = try await convert(bench, "p.json", "m.edl", "--start-timecode", "00:00:00:00")
            let text = String(decoding: try bench.bytes("m.edl"), as: UTF8.self)
                .replacing("|M:thumbsUp #1", with: "|M:Chapter")
                .replacing("00:00:20:01 00:00:20:02\n", with: "00:00:22:00 00:00:22:01\n")
                .replacing("ResolveColorRed", with: "ResolveColorGreen")
            try bench.write(text, as: "m.edl")
            let result = try await convert(bench, "m.edl", "p.json", "--start-timecode", "00:00:00:00")
            #expect(result.exitCode == 0)
            #expect(
                result.errorLines == [
                    "flourish: warning: m.edl: line 5: 'Chapter' is not a reaction; ignored",
                    "flourish: 1 moved, 1 switched off, 1 switched on → p.json",
                ])
            let reactions =
                try JSONValue(parsing: String(decoding: try bench.bytes("p.json"), as: UTF8.self))["reactions"]?.array
                ?? []
            #expect(reactions.map { $0["enabled"]?.boolean } == [false, true, true])
            #expect(reactions[0]["mine"] == .flag(true) && reactions[2]["startTime"]?.number == 22)
            let quiet = try await convert(bench, "m.edl", "p.json", "--start-timecode", "00:00:00:00", "--quiet")
            #expect(quiet.standardError.isEmpty)
        }
    }

    @Test(
        arguments: [
            (["p.json", "q.json"], 64, "q.json", "both files are plans"),
            (["m.edl", "m.otio"], 64, "m.otio", "one file must be a plan"),
            (["p.json", "m.txt"], 64, "m.txt", "unknown marker format; use one of the extensions .edl, .otio, .xml"),
            (["m.txt", "p.json"], 64, "m.txt", "use one of the extensions .otio, .edl, .csv"),
            (["m.vtt", "p.json"], 64, "m.vtt", ".vtt cannot be imported"),
            (["p.json", "m.otio", "--start-timecode", "0"], 64, "--start-timecode", "applies to .edl only"),
            (["p.json", "new.edl", "--start-timecode", "24:00:00:00"], 64, "'24:00:00:00'", "is not a timecode"),
            (["p.json", "m.xml", "--drop-frame", "--frame-rate", "25"], 64, "drop-frame", "29.97 or 59.94"),
            (["none.json", "new.edl"], 66, "none.json", "no such file"),
            (["none.edl", "p.json"], 66, "none.edl", "no such file"),
            (["m.edl", "none.json"], 66, "none.json", "no such file"),
            (["m.edl", "p.json"], 65, "m.edl", "not an EDL"),
            (["m.csv", "m.json"], 65, "m.json", "line 1: a value is expected"),
            (["p.json", "there.csv"], 73, "there.csv", "--overwrite"),
            (["p.json", "no/m.csv"], 73, "no/m.csv", "folder"),
        ] as [([String], Int32, String, String)])
    func invalidConversionsAreReportedAndWriteNothing(
        _ arguments: [String], _ code: Int32, _ name: String, _ words: String
    )
        async throws
    {
        try await Workbench.with { bench in
            try bench.write(plan(), as: "p.json")
            for file in ["m.edl", "m.csv", "m.vtt", "m.txt", "m.json", "there.csv"] {
                try bench.write("Dear all\n", as: file)
            }
            let before = bench.files
            let result = try await bench.flourish(["plan", "convert"] + arguments)
            expectRefusal(result, code: code, naming: name, saying: words)
            #expect(bench.files == before)
            #expect(try bench.bytes("there.csv") == Data("Dear all\n".utf8))
            #expect(try bench.bytes("p.json") == Data(plan().utf8))
        }
    }

    @Test func theRecordingIsFoundBesideThePlan() async throws {
        try await Workbench.with { bench in
            try FileManager.default.createDirectory(at: bench.file("videos"), withIntermediateDirectories: false)
            try bench.write(plan(), as: "videos/p.json")
            for isThere in [false, true] {
                if isThere { try bench.write("a video", as: "videos/my & call.mp4") }
                #expect(try await convert(bench, "videos/p.json", "m.fcpxml", "-y").exitCode == 0)
                let text = String(decoding: try bench.bytes("m.fcpxml"), as: UTF8.self)
                #expect(text.contains("/videos/my%20&amp;%20call.mp4\"") == isThere, "\(text)")
            }
        }
    }

    @Test func markersAreReplacedOnDemand() async throws {
        try await Workbench.with { bench in
            try bench.write(plan(), as: "p.json")
            try bench.write("old", as: "m.csv")
            #expect(try await convert(bench, "p.json", "m.csv", "--overwrite").exitCode == 0)
            #expect(String(decoding: try bench.bytes("m.csv"), as: UTF8.self).hasPrefix("id,enabled,"))
        }
    }
}

@Suite(
    "Markers in OpenTimelineIO's own library",
    .enabled(
        if: OpenTimelineIO.python != nil,
        "no Python with OpenTimelineIO and its adapters (FLOURISH_OTIO_PYTHON names one; Scripts/pins.txt their versions)"
    ))
struct MarkerReaderTests {
    private func write(_ ending: String, _ frameRate: String, _ bench: Workbench, _ options: [String] = []) async throws
    {
        try bench.write(plan(frameRate), as: "p.json")
        let result = try await bench.flourish(["plan", "convert", "p.json", "m.\(ending)"] + options)
        try #require(result.exitCode == 0, "\(result.standardError)")
    }

    /// Lists the library's view of the markers: names, colours, and starts and durations in frames.
    private let listing = """

        clip = next(iter(timeline.find_clips()))
        markers = list(timeline.tracks.markers) + list(clip.markers)
        print(json.dumps({
            "length": clip.source_range.duration.value, "rate": clip.source_range.duration.rate,
            "url": clip.media_reference.target_url,
            "markers": [[m.name, m.color, m.marked_range.start_time.value, m.marked_range.duration.value] for m in markers],
            "notes": [str(m.metadata.get("fcp_xml", {}).get("comment", m.comment)) for m in markers]}))
        """

    private func row(_ name: String, _ colour: String, _ start: Int, _ duration: Int) -> JSONValue {
        .array([.text(name), .text(colour), .integer(start), .integer(duration)])
    }

    @Test func openTimelineIO() async throws {
        try await Workbench.with { bench in
            try await write("otio", "29.97003", bench)
            let read = try await OpenTimelineIO.run(
                "timeline = otio.adapters.read_from_file('m.otio')" + listing, in: bench)
            #expect(
                read["markers"]?.array == [
                    row("thumbsUp #1", "GREEN", 150, 60), row("rain #2", "RED", 151, 60),
                    row("confetti #3", "GREEN", 600, 120),
                ])
            #expect(read["length"]?.number == 1200 && read["rate"]?.number == 30000.0 / 1001)
            #expect(read["notes"]?.array?[1].string == "off: heldTooBriefly, note: <2> | \"ü\"")
            #expect(read["url"]?.string == bench.file("my & call.mp4").resolvingSymlinksInPath().absoluteString)
        }
    }

    /// Markers that the library writes are read: one moved, one removed, one made red, one added.
    @Test func openTimelineIORoundTrips() async throws {
        try await Workbench.with { bench in
            try await write("otio", "29.97003", bench)
            _ = try await OpenTimelineIO.run(
                """
                timeline = otio.adapters.read_from_file('m.otio')
                clip = next(iter(timeline.find_clips()))
                range = clip.markers[0].marked_range
                clip.markers[0].marked_range = otio.opentime.TimeRange(
                    range.start_time + otio.opentime.RationalTime(30, range.start_time.rate), range.duration)
                clip.markers[2].color = otio.schema.MarkerColor.RED
                del clip.markers[1]
                timeline.tracks.markers.append(otio.schema.Marker(
                    name="heart", marked_range=otio.opentime.TimeRange(
                        otio.opentime.RationalTime(750, 25), otio.opentime.RationalTime(50, 25))))
                otio.adapters.write_to_file(timeline, 'n.otio')
                print(0)
                """, in: bench)
            let result = try await bench.flourish(["plan", "convert", "n.otio", "p.json"])
            #expect(
                result.errorLines == ["flourish: 1 moved, 1 switched off, 1 added → p.json"], "\(result.standardError)")
            let reactions =
                try JSONValue(parsing: String(decoding: try bench.bytes("p.json"), as: UTF8.self))["reactions"]?.array
                ?? []
            #expect(reactions.map { $0["reactionType"]?.string } == ["rain", "thumbsUp", "confetti", "heart"])
            #expect(reactions.map { $0["startTime"]?.number } == [5.005, 6.006, 20.02, 30])
            #expect(reactions.map { $0["endTime"]?.number } == [7.007, 8.008, 24.024, 32])
            #expect(reactions.map { $0["enabled"]?.boolean } == [false, true, false, true])
        }
    }

    @Test func finalCutPro7() async throws {
        try await Workbench.with { bench in
            try await write("xml", "29.97003", bench)
            let read = try await OpenTimelineIO.run(
                "timeline = otio.adapters.read_from_file('m.xml', adapter_name='fcp_xml')" + listing, in: bench)
            // The reader gives every marker of this format the same colour.
            #expect(
                read["markers"]?.array == [
                    row("thumbsUp #1", "RED", 150, 60), row("rain #2", "RED", 151, 60),
                    row("confetti #3", "RED", 600, 120),
                ])
            #expect(read["length"]?.number == 1200 && abs((read["rate"]?.number ?? 0) - 29.97) < 0.001)
            #expect(read["notes"]?.array?[1].string == "off: heldTooBriefly, note: <2> | \"ü\"")
            #expect(
                read["url"]?.string?.hasPrefix("file://localhost/") == true
                    && read["url"]?.string?.hasSuffix("/my%20&%20call.mp4") == true)
        }
    }

    /// At an integer rate: the reader truncates others.
    @Test func finalCutPro() async throws {
        try await Workbench.with { bench in
            try await write("fcpxml", "25", bench)
            let read = try await OpenTimelineIO.run(
                "timeline = otio.adapters.read_from_file('m.fcpxml', adapter_name='fcpx_xml')[0]" + listing, in: bench)
            // Violet is a standard marker, red a to-do marker.
            #expect(
                read["markers"]?.array == [
                    row("thumbsUp #1", "PURPLE", 125, 1), row("rain #2", "RED", 126, 1),
                    row("confetti #3", "PURPLE", 501, 1),
                ])
            #expect(read["length"]?.number == 1001)
        }
    }

    /// Its events are those of CMX 3600; markers are Resolve's own, and comments to other programs.
    @Test(arguments: [false, true]) func editDecisionLists(_ isDropFrame: Bool) async throws {
        try await Workbench.with { bench in
            try await write("edl", "29.97003", bench, isDropFrame ? ["--drop-frame"] : [])
            let read = try await OpenTimelineIO.run(
                """
                timeline = otio.adapters.read_from_file('m.edl', rate=30000 / 1001)
                zero = otio.opentime.from_timecode('01:00:00\(isDropFrame ? ";" : ":")00', 30000 / 1001)
                clips = list(timeline.find_clips())
                print(json.dumps({
                    "name": timeline.name, "frames": [(c.source_range.start_time - zero).value for c in clips],
                    "lengths": [c.source_range.duration.value for c in clips]}))
                """, in: bench)
            #expect(read["name"]?.string == "my & call.mp4")
            #expect(read["frames"]?.array?.map(\.number) == [150, 151, 600])
            #expect(read["lengths"]?.array?.map(\.number) == [1, 1, 1])
        }
    }
}
