import Reactions
import Testing

@testable import Pipeline
@testable import Studio

@Suite struct MarkerWritingTests {
    @Test func resolvesListOfMarkers() throws {
        #expect(
            try MarkerPlan(MarkerPlan.three).text(.edl) == """
                TITLE: call.mp4
                FCM: NON-DROP FRAME

                001  001      V     C        01:00:05:01 01:00:05:02 01:00:05:01 01:00:05:02
                gesture thumbsUp, confidence 0.9 |C:ResolveColorGreen |M:thumbsUp #4 |D:90

                002  001      V     C        01:00:10:00 01:00:10:01 01:00:10:00 01:00:10:01
                note: mine |C:ResolveColorGreen |M:confetti #2 |D:60

                003  001      V     C        01:00:20:06 01:00:20:07 01:00:20:06 01:00:20:07
                off: heldTooBriefly |C:ResolveColorRed |M:rain #9 |D:90

                """)
        var drop = try MarkerPlan(#"{"id": 1, "reactionType": "rain", "startTime": 30}"#, frameRate: "29.97003")
        drop.options.startTimecode = "00:09:30:00"
        drop.options.isDropFrame = true
        // 30 s are 899 frames; the tenth minute leaves nothing out.
        let text = try drop.text(.edl)
        #expect(
            text.contains("FCM: DROP FRAME\n") && text.contains(" 00:09:59;29 00:10:00;00 00:09:59;29 00:10:00;00\n"),
            "\(text)")
    }

    @Test func namesStayInTheirFields() throws {
        let odd = try MarkerPlan(
            #"{"id": 1, "reactionType": "a|b", "startTime": 1, "enabled": false, "note": "1 | 2\n3 <&>\"' \u0001"}"#)
        let line = try #require(try odd.text(.edl).split(separator: "\n").last)
        #expect(line == "off, note: 1 / 2 3 <&>\"'   |C:ResolveColorRed |M:a/b #1 |D:90")
        let xml = try odd.text(.finalCut)
        #expect(
            xml.contains(#"value="a|b #1" completed="0" note="off, note: 1 | 2 3 &lt;&amp;&gt;&quot;'  "/>"#), "\(xml)")
        #expect(XMLElement.escaped("\u{0}a\n\u{FFFE}b\u{1F600}") == "a&#10;b\u{1F600}")
        // Words keep a digit from the beginning of Resolve's notes, which would turn the line into an event.
        let digits = try MarkerPlan(#"{"id": 1, "reactionType": "rain", "startTime": 1, "note": "2. take"}"#)
        #expect(try digits.text(.edl).contains("\nnote: 2. take |C:"))
        #expect(EDLMarkers.plain("a\u{1F600}é|\u{2764}") == "aé/\u{2764}")
    }

    @Test func tablesAreQuoted() throws {
        let plan = try MarkerPlan(
            #"{"id": 1, "reactionType": "rain", "startTime": 1.25, "endTime": 3, "note": "a \"b\", c\nd"}, {"reactionType": "heart", "startTime": 0.1}"#
        )
        #expect(
            try plan.text(.csv)
                == [
                    "id,enabled,reactionType,startTime,duration,gesture,confidence,reason,note",
                    "2,true,heart,0.1,,,,,", "1,true,rain,1.25,1.75,,,,\"a \"\"b\"\", c\nd\"", "",
                ].joined(separator: "\r\n"))
    }

    @Test func chaptersCoverShownReactions() throws {
        #expect(
            try MarkerPlan(MarkerPlan.three).text(.webVTT) == """
                WEBVTT

                4
                00:00:05.033 --> 00:00:08.033
                thumbsUp

                2
                00:00:10.010 --> 00:00:12.020
                confetti

                """)
    }

    @Test func addressesAreEscaped() throws {
        let plan = try MarkerPlan(MarkerPlan.three, path: "/a b/ü #1.mp4")
        #expect(try plan.text(.finalCut7).contains("<pathurl>file://localhost/a%20b/%C3%BC%20%231.mp4</pathurl>"))
        #expect(try plan.text(.openTimelineIO).contains(#""target_url": "file:///a%20b/%C3%BC%20%231.mp4""#))
    }

    // MARK: Frames

    @Test func markersHaveDistinctFrames() throws {
        let same = (1...4).map { #"{"id": \#($0), "reactionType": "rain", "startTime": 10}"# }
        let next = [
            #"{"id": 5, "reactionType": "rain", "startTime": 10.04}"#,
            #"{"id": 6, "reactionType": "rain", "startTime": 10.2}"#,
        ]
        let last = (7...9).map { #"{"id": \#($0), "reactionType": "rain", "startTime": 39.99}"# }
        let plan = try MarkerPlan((same + next + last).joined(separator: ", ")).plan
        let sheet = MarkerSheet(plan, rate: TimecodeRate(30), durations: [:])
        #expect(sheet.markers.map(\.frame) == [300, 301, 302, 303, 304, 306, 1197, 1198, 1199])
        #expect(sheet.markers.map(\.duration) == Array(repeating: 90, count: 6) + [3, 2, 1])
    }

    @Test func moreMarkersThanFramesAreKeptInTheVideo() throws {
        let many = (1...50).map { #"{"id": \#($0), "reactionType": "rain", "startTime": 10}"# }
        let plan = try MarkerPlan(many.joined(separator: ", ")).plan
        let sheet = MarkerSheet(plan, rate: TimecodeRate(1), durations: [:])
        #expect(sheet.markers.allSatisfy { (0..<40).contains($0.frame) })
        let more = try MarkerPlan(
            (1...1000).map { #"{"id": \#($0), "reactionType": "rain", "startTime": 10}"# }.joined(separator: ","))
        #expect(
            fault { try more.text(.edl) } == (
                .usage, "an .edl is limited to 999 markers, and the plan has 1000; convert it to .otio"
            ))
        #expect(try more.text(.openTimelineIO).contains("rain #1000"))
    }

    @Test func installedEffectsProvideDurations() throws {
        let plan = try MarkerPlan(#"{"id": 1, "reactionType": "rain", "startTime": 10}"#).plan
        let text = try plan.markers(as: .edl)
        let own = try EffectCatalog(resources: .located()).presets[.rain]?.duration
        #expect(text.contains("|D:\(Int(((try #require(own)) * 30).rounded()))\n"), "\(text)")
    }

    @Test func invalidOptionsAreReported() throws {
        var plan = try MarkerPlan(MarkerPlan.three)
        plan.options.isDropFrame = true
        #expect(
            fault { try plan.text(.edl) } == (
                .usage,
                "drop-frame timecode requires 29.97 or 59.94 frames per second, not 30; set MarkerOptions.isDropFrame to false"
            ))
        plan.options.isDropFrame = false
        plan.options.frameRate = 12.5
        #expect(
            fault { try plan.text(.csv) }.message
                == "12.5 frames per second is not a timeline's frame rate; use one such as 25 or 29.97")
        plan.options.frameRate = 25
        plan.options.startTimecode = "01:00:00:27"
        #expect(fault { try plan.text(.edl) }.code == .usage)
    }

    @Test(
        arguments: [
            ("m.edl", MarkerFormat.edl), ("a/b.OTIO", .openTimelineIO), ("x.y.xml", .finalCut7),
            ("m.fcpxml", .finalCut), ("m.csv", .csv),
            ("m.vtt", .webVTT), ("m", nil), (".edl", nil), ("edl/m", nil), ("m.json", nil),
        ] as [(String, MarkerFormat?)])
    func extensionsSelectFormats(_ path: String, _ format: MarkerFormat?) {
        #expect(MarkerFormat(path: path) == format)
    }
}
