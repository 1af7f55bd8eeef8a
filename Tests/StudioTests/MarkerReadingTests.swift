import Testing
import TestSupport

@testable import Pipeline
@testable import Reactions
@testable import Studio

@Suite struct MarkerReadingTests {
    static let readable = MarkerFormat.allCases.filter(\.isReadable)

    @Test(arguments: readable, ["30", "29.97003", "23.976024", "25", "59.94006", "null", "29.87"])
    func unchangedMarkersChangeNothing(_ format: MarkerFormat, _ frameRate: String) throws {
        for start in [0, 1.4, 0.123457] {
            let more =
                #"{"reactionType": "heart", "startTime": \#(start + 20.2)}, {"reactionType": "a|b #c", "startTime": \#(start + 39.99), "enabled": false, "note": " \"x\",\n;"}"#
            let moved = MarkerPlan.three.replacing("\"startPTS\": 151000, ", with: "")
            var plan = try MarkerPlan(moved + ", " + more, frameRate: frameRate, start: start)
            for isDropFrame in [false, true] where !isDropFrame || ["29.97003", "59.94006"].contains(frameRate) {
                plan.options.isDropFrame = isDropFrame
                let before = plan.plan
                let changes = try plan.edit(format, [])
                #expect(changes == MarkerChanges(), "from \(start) s")
                #expect(plan.plan == before && plan.plan.json == before.json)
            }
        }
    }

    /// Each format's way to write a change of the default three.
    struct Edit: Sendable, CustomTestStringConvertible {
        let format: MarkerFormat
        let moved: [(String, String)]
        let longer: [(String, String)]
        let deleted: [(String, String)]
        let shown: [(String, String)]
        let added: @Sendable (String) -> String
        var testDescription: String { format.rawValue }

        init(
            _ format: MarkerFormat, moved: [(String, String)], longer: [(String, String)], deleted: [(String, String)],
            shown: [(String, String)], added: @escaping @Sendable (String) -> String
        ) {
            (self.format, self.moved, self.longer, self.deleted, self.shown, self.added) = (
                format, moved, longer, deleted, shown, added
            )
        }
    }

    static let edits = [
        Edit(
            .edl, moved: [("01:00:10:00 01:00:10:01\n", "01:00:15:15 01:00:15:16\n")],
            longer: [("#2 |D:60", "#2 |D:75")],
            deleted: [("gesture thumbsUp, confidence 0.9 |C:ResolveColorGreen |M:thumbsUp #4 |D:90\n", "")],
            shown: [("ResolveColorRed", "ResolveColorGreen")],
            added: {
                $0
                    + "\n004  001  V  C  01:00:30:15 01:00:30:16 01:00:30:15 01:00:30:16\n |C:ResolveColorRed |M:balloons |D:1\n"
            }),
        Edit(
            .openTimelineIO, moved: [(#""value": 300"#, #""value": 465"#)],
            longer: [(#""value": 60"#, #""value": 75"#)],
            deleted: [(#""name": "thumbsUp #4""#, #""name": "x""#), (#""id": 4"#, #""di": 4"#)],
            shown: [(#""color": "RED""#, #""color": "GREEN""#)],
            added: {
                $0.replacing(
                    #""markers": []"#,
                    with:
                        #""markers": [{"OTIO_SCHEMA": "Marker.2", "name": "balloons", "marked_range": {"start_time": {"rate": 30, "value": 915}, "duration": {"rate": 30, "value": 1}}}]"#,
                    maxReplacements: 1)
            }),
        Edit(
            .csv, moved: [(",10.01,", ",15.5,")], longer: [(",2.01,", ",2.5,")],
            deleted: [("4,true,thumbsUp,5.033333,,thumbsUp,0.9,,\r\n", "")], shown: [("9,false", "9,true")],
            added: { $0 + ",,balloons,30.5,,,,,\r\n" }),
    ]

    @Test(arguments: edits) func aMarkerThatMovedMovesItsReaction(_ edit: Edit) throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        let old = plan.plan
        #expect(try plan.edit(edit.format, edit.moved).moved == 1)
        let reaction = try #require(plan[2])
        #expect(reaction.startTime == 15.5 && reaction.startPTS == nil)
        #expect(abs((reaction.endTime ?? 0) - 17.51) < 0.000_001, "as long as it was")
        #expect(
            reaction.note == "mine" && reaction.unknown == old.reactions[1].unknown && plan.plan.unknown == old.unknown)
        #expect(plan[4] == old.reactions[0] && plan[9] == old.reactions[2])
    }

    @Test(arguments: edits) func aLongerMarkerChangesTheEnd(_ edit: Edit) throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        #expect(try plan.edit(edit.format, edit.longer).changed == 1)
        #expect(plan[2]?.endTime == 12.51 && plan[2]?.startTime == 10.01)
    }

    @Test(arguments: edits) func deletedMarkersDisableTheirReaction(_ edit: Edit) throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        let changes = try plan.edit(edit.format, edit.deleted)
        #expect(changes.switchedOff == 1 && changes.moved == 0)
        #expect(plan.plan.reactions.map(\.isEnabled) == [false, true, false])
        #expect(plan[4]?.startPTS == 151000, "and stays otherwise")
    }

    @Test(arguments: edits) func aRedMarkerThatTurnsGreenIsShown(_ edit: Edit) throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        #expect(try plan.edit(edit.format, edit.shown).switchedOn == 1)
        #expect(plan[9]?.isEnabled == true && plan[9]?.reason == .heldTooBriefly)
    }

    @Test(arguments: edits) func aMarkerCalledLikeAReactionAddsOneOnce(_ edit: Edit) throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        let text = edit.added(try plan.text(edit.format))
        let changes = try plan.apply(text, edit.format)
        #expect(changes.added == 1 && changes.skipped.isEmpty)
        let reaction = try #require(plan[10])
        #expect(reaction.reactionType == .balloons && reaction.isEnabled && reaction.trigger == .schedule)
        #expect(reaction.startTime == 30.5 && reaction.endTime == nil)
        #expect(try plan.apply(text, edit.format).isEmpty, "the same file again changes nothing")
        #expect(plan.plan.reactions.count == 4)
    }

    // MARK: Changes by other programs

    @Test func unrelatedMarkersAreSkipped() throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        let text =
            try plan.text(.edl) + """

                004  001      V     C        01:00:30:15 01:00:30:16 01:00:30:15 01:00:30:16
                2. Kapitel |C:ResolveColorBlue |M:Take #7 |D:1

                """
        let changes = try plan.apply(text, .edl)
        #expect(changes.skipped == ["line 14: 'Take' is not a reaction"] && changes.isEmpty)
    }

    @Test func copiedMarkersAddReactions() throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        let text =
            try plan.text(.edl) + """

                004  001      V     C        01:00:30:15 01:00:30:16 01:00:30:15 01:00:30:16
                 |C:ResolveColorGreen |M:confetti #2 |D:60

                """
        #expect(try plan.apply(text, .edl).added == 1)
        #expect(plan[2]?.startTime == 10.01)
        #expect(plan[10]?.startTime == 30.5 && plan[10]?.endTime == 32.5)
    }

    @Test func renamedMarkersChangeTheReaction() throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        #expect(try plan.edit(.edl, [("thumbsUp #4", "heart #4"), ("confetti #2", "nice one #2")]).changed == 1)
        #expect(plan[4]?.reactionType == .heart && plan[4]?.gesture == .thumbsUp)
        #expect(plan[2]?.reactionType == .confetti)
    }

    @Test func pointMarkersKeepTheEnd() throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        #expect(try plan.edit(.edl, [("|D:60", "|D:1"), ("|D:90", "|D:0")]).isEmpty)
    }

    @Test func numbersThatAProgramDroppedAreFoundByTime() throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        #expect(try plan.edit(.edl, [("thumbsUp #4", "thumbsUp")]).isEmpty)
        // Only its time identifies it.
        let changes = try plan.edit(
            .edl, [("thumbsUp #4", "thumbsUp"), ("01:00:05:01 01:00:05:02\n", "01:00:06:01 01:00:06:02\n")])
        #expect(changes.switchedOff == 1 && changes.added == 1)
    }

    @Test func aTimelineOfAnotherRateMovesNothing() throws {
        for rate in ["24", "25", "60", "23.976023976023978"] {
            var plan = try MarkerPlan(MarkerPlan.three)
            let frames = try #require(Double(rate))
            var text = try plan.text(.openTimelineIO)
            for (frame, seconds) in [(151, 151.0 / 30), (300, 10.0), (606, 20.2), (90, 3), (60, 2)] {
                text = text.replacing(
                    "\"value\": \(frame)\n", with: "\"value\": \(Int((seconds * frames).rounded()))\n")
            }
            text = text.replacing("\"rate\": 30,", with: "\"rate\": \(rate),")
            #expect(try plan.apply(text, .openTimelineIO) == MarkerChanges(), "\(rate)")
        }
    }

    @Test func markersOnTheTimelineFollowTheCut() throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        func time(_ value: Int) -> String { #"{"OTIO_SCHEMA": "RationalTime.1", "rate": 30, "value": \#(value)}"# }
        func range(_ start: Int, _ duration: Int) -> String {
            #"{"OTIO_SCHEMA": "TimeRange.1", "start_time": \#(time(start)), "duration": \#(time(duration))}"#
        }
        func marker(_ name: String, _ frame: Int) -> String {
            #"{"OTIO_SCHEMA": "Marker.2", "name": "\#(name)", "marked_range": \#(range(frame, 1))}"#
        }
        func clip(_ start: Int, _ duration: Int, _ file: String = "call.mp4") -> String {
            // A camera's timecode that starts at an hour.
            #"{"OTIO_SCHEMA": "Clip.2", "source_range": \#(range(108_000 + start, duration)), "active_media_reference_key": "M", "media_references": {"M": {"target_url": "file:///b/\#(file)", "available_range": \#(range(108_000, 1200))}}, "markers": [\#(marker("confetti #2", 108_300))]}"#
        }
        // The first two seconds are cut out; a title of four stands before.
        let text = """
            {"OTIO_SCHEMA": "Timeline.1", "global_start_time": \(time(108_000)), "tracks": {"OTIO_SCHEMA": "Stack.1",
            "markers": [\(marker("thumbsUp #4", 120 - 60 + 151)), \(marker("rain #9", 108_000 + 120 - 60 + 606)), \(marker("heart", 5))],
            "children": [{"OTIO_SCHEMA": "Track.1", "children": [{"OTIO_SCHEMA": "Gap.1", "source_range": \(range(0, 120))},
            \(clip(60, 300)), {"OTIO_SCHEMA": "Transition.1"}, \(clip(360, 840))]},
            {"OTIO_SCHEMA": "Track.1", "children": [\(clip(0, 100, "other.mp4"))]}]}}
            """
        let changes = try plan.apply(text, .openTimelineIO)
        #expect(changes.moved == 0 && changes.switchedOff == 0 && changes.added == 1, "\(changes)")
    }

    @Test func multilineNotesAreNoEvents() throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        #expect(try plan.edit(.edl, [("note: mine |C:", "2. take\n3: or so\nmine |C:")]).isEmpty)
    }

    /// A disabled reaction may hold any value, and keeps it.
    @Test(arguments: readable) func extremeNumbersAreAccepted(_ format: MarkerFormat) throws {
        var plan = try MarkerPlan(
            MarkerPlan.three + """
                , {"id": 9223372036854775807, "reactionType": "rain", "startTime": 1e300, "endTime": 2e300, "enabled": false},
                {"id": -3, "reactionType": "rain", "startTime": -1e300, "enabled": false}, {"reactionType": "rain", "startTime": 1}
                """)
        #expect(try plan.edit(format, []) == MarkerChanges())
        for format in MarkerFormat.allCases { _ = try plan.text(format) }
        guard format == .csv else { return }
        let reported = fault { try plan.edit(.csv, [("-3,false", "-3,true")]) }
        #expect(reported.message.hasPrefix("p.json: reactions[4].startTime: "), "\(reported.message)")
    }

    // MARK: Tables

    @Test(arguments: [";", "\t"]) func localisedTablesAreRead(_ separator: String) throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        let rows = [
            "Note;STARTTIME;id;reactionType;duration;mine", "mine;10,01;2;confetti;2,01;x", ";5,0333333;4;thumbsUp;;",
            "\"a;\"\"b\";20,2;9;rain;;",
        ]
        let text = "\u{FEFF}" + rows.joined(separator: "\n").replacing(";", with: separator)
        let changes = try plan.apply(text, .csv)
        #expect(changes.changed == 1 && changes.moved == 0 && changes.switchedOff == 0)
        #expect(plan[9]?.note == "a\(separator)\"b")
    }

    @Test func tablesMayQuoteLineBreaks() throws {
        let table = try CSVTable("a,\"b\r\n\"\"c\"\"\",\r\n\n\"\"\r,x\n\"d\"")
        let expected: [[String]] = [["a", "b\r\n\"c\"", ""], ["", "x"], ["d"]]
        #expect(table.rows.map(\.cells) == expected)
        #expect(table.rows.map(\.line) == [1, 5, 6])
    }

    // MARK: Refused

    @Test(arguments: [
        (
            MarkerFormat.edl, "01:00:10:00 01:00:10:01\n", "01:00:10:31 01:00:10:32\n",
            "m.edl: line 7: '01:00:10:31' is not a timecode at 30 frames per second; set MarkerOptions.frameRate"
        ),
        (
            .edl, "01:00:10:00 01:00:10:01\n", "01:00:10;00 01:00:10;01\n",
            "m.edl: line 7: drop-frame timecode requires 29.97 or 59.94"
        ),
        (
            .edl, "01:00:10:00 01:00:10:01\n", "00:00:10:00 00:00:10:01\n",
            "m.edl: line 8: 'confetti' at -3590 s is not in the recording, which lasts 40 s, on a timeline that starts at 01:00:00:00; move it, or set MarkerOptions.startTimecode"
        ),
        (.edl, "#2 |D:60", "#2 |D:x", "m.edl: line 8: |D: must be a number of frames, not 'x'"),
        (.edl, "#2 |D:60", "#3 |D:60", "m.edl: line 8: the plan has no reaction 3; export its markers again"),
        (
            .edl, "002  001      V     C        01:00:10:00 01:00:10:01 01:00:10:00 01:00:10:01\n", "",
            "m.edl: line 7: the marker has no preceding event"
        ),
        (.edl, " 01:00:10:00 01:00:10:01\n", "\n", "m.edl: line 7: an event must have four timecodes"),
        (.openTimelineIO, "\"markers\": [", "\"markers\": [}", "m.otio: line "),
        (.openTimelineIO, "\"Timeline.1\"", "\"Clip.2\"", "m.otio: not an OpenTimelineIO timeline"),
        (
            .openTimelineIO, "\"value\": 300", "\"value\": null",
            "m.otio: tracks.children[0].children[0].markers[1].marked_range.start_time: is not a time with a value and a rate"
        ),
        (
            .openTimelineIO, "\"marked_range\"", "\"range\"",
            "m.otio: tracks.children[0].children[0].markers[0].marked_range: the key is missing"
        ),
        (
            .openTimelineIO, "murmur3:00", "murmur3:01",
            "m.otio: tracks.children[0].children[0]: the markers belong to another recording"
        ),
        (
            .csv, "reactionType,", "type,",
            "m.csv: line 1: the first row lacks the column reactionType"
        ),
        (.csv, ",10.01,", ",ten,", "m.csv: line 3: startTime: 'ten' is not a number of seconds"),
        (.csv, ",10.01,", ",,", "m.csv: line 3: startTime: is missing"),
        (
            .csv, ",10.01,", ",50,",
            "m.csv: line 3: 'confetti' at 50 s is not in the recording, which lasts 40 s; mend startTime"
        ),
        (.csv, ",2.01,", ",-1,", "m.csv: line 3: duration: must be greater than 0"),
        (.csv, "2,true,", "2,perhaps,", "m.csv: line 3: enabled: must be true or false, not 'perhaps'"),
        (.csv, "2,true,", "two,true,", "m.csv: line 3: id: 'two' is not a whole number"),
        (.csv, "confetti", "confetty", "m.csv: line 3: reactionType: unknown reaction 'confetty'"),
        (.csv, "mine", "\"mine", "m.csv: line 3: the opening quote has no closing quote"),
        (.csv, "mine", "\"mi\"ne", "m.csv: line 3: text follows a closing quote"),
    ])
    func errorsNameTheirPlace(_ format: MarkerFormat, _ old: String, _ new: String, _ expected: String) throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        let before = plan.plan
        let reported = fault { try plan.edit(format, [(old, new)]) }
        #expect(reported.code == .inputUnusable && reported.message.hasPrefix(expected), "\(reported.message)")
        #expect(plan.plan == before)
    }

    @Test(arguments: [
        (MarkerFormat.edl, ""), (.edl, "Dear all"), (.edl, "TITLE: x\n"), (.openTimelineIO, ""),
        (.openTimelineIO, "[]"), (.csv, ""),
        (.csv, "reactionType,startTime\n"), (.csv, "reactionType,startTime\nheart,3\n"),
        (.openTimelineIO, #"{"OTIO_SCHEMA": "Timeline.1", "tracks": {"OTIO_SCHEMA": "Stack.1", "children": []}}"#),
    ])
    func filesWithoutPlanMarkersDisableNothing(_ format: MarkerFormat, _ text: String) throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        let reported = fault { try plan.apply(text, format) }
        #expect(
            reported.code == .inputUnusable && reported.message.hasPrefix("m.\(format.rawValue): "),
            "\(reported.message)")
    }

    @Test func unreadableFormatsAreReported() throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        let reported = fault { try plan.apply("WEBVTT", .webVTT) }
        #expect(
            reported == (
                .usage,
                "m.vtt: .vtt cannot be imported; export the markers from the editing program as .otio, .edl or .csv"
            ))
    }
}

@Suite struct MarkerDamageTests {
    /// Any file is either read or refused, and a plan that was read can be rendered.
    @Test(arguments: MarkerReadingTests.readable) func damagedFilesAreReadOrRefused(_ format: MarkerFormat) throws {
        let original = try MarkerPlan(MarkerPlan.three)
        let bytes = Array(try original.text(format).utf8)
        let pieces: [[UInt8]] = [
            "", "9", "-", "\"", "|", ",", ";", "\n", "{", "]", "99999999999999999999", "1e308", "#2", "é", "\u{0}",
        ].map { Array($0.utf8) }
        var generator = SeededGenerator(seed: 7)
        var (read, refused) = (0, 0)
        for _ in 0..<800 {
            var damaged = bytes
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let start = Int.random(in: 0..<damaged.count, using: &generator)
                let end = min(damaged.count, start + Int.random(in: 0..<12, using: &generator))
                damaged.replaceSubrange(start..<end, with: pieces[Int.random(in: 0..<pieces.count, using: &generator)])
            }
            var plan = original.plan
            let reported = fault { try plan.apply(markers: damaged, from: format, resources: Resources()) }
            if reported.code == nil {
                _ = try ReactionPlan(json: Array(plan.json.utf8))
                read += 1
            } else {
                #expect(
                    reported.code == .inputUnusable && plan == original.plan && !reported.message.contains("\n"),
                    "\(reported)")
                refused += 1
            }
        }
        #expect(read > 50 && refused > 50)
    }
}
