import Testing
import TestSupport

@testable import Pipeline
@testable import Reactions
@testable import Studio

/// Logs of meetings, and the reactions that a plan gets from them.
@Suite struct MeetingLogTests {
    private static let symbols = ReactionSymbols([ReactionType(rawValue: "sparkle")])

    private static func log(_ text: String, _ symbols: ReactionSymbols = symbols) throws -> MeetingLog {
        try MeetingLog(Array(text.utf8), name: "the.log", symbols: symbols)
    }

    /// Adds a log to a plan without reactions of a recording of 40 s.
    ///
    /// - Returns: The changes, and a line for each reaction of the plan.
    private func add(
        _ text: String, start: String? = nil, people: String? = nil, symbols: ReactionSymbols = symbols,
        to plan: inout ReactionPlan
    ) throws -> (changes: MeetingChanges, lines: [String]) {
        let table = try people.map { try PeopleTable(Array($0.utf8), name: "names.txt") }
        let changes = try plan.add(
            try Self.log(text, symbols), start: start.map { try #require(MeetingLog.start($0)) }, symbols: symbols,
            people: table)
        try plan.validate()
        let lines = plan.reactions.map { reaction in
            let tile = reaction.tile.map { " tile \($0)" } ?? ""
            return "\(reaction.startTime.plainText) \(reaction.reactionType)\(tile) \(reaction.note ?? "-")"
        }
        return (changes, lines)
    }

    private func add(
        _ text: String, start: String? = nil, symbols: ReactionSymbols = symbols
    ) throws -> (changes: MeetingChanges, lines: [String]) {
        var plan = try MarkerPlan("").plan
        return try add(text, start: start, symbols: symbols, to: &plan)
    }

    // MARK: BigBlueButton

    static let meeting = """
        <?xml version="1.0"?>
        <recording meeting_id="m-1" bbb_version="2.7.0">
          <!-- two recorded parts -->
          <metadata meetingName="Physics &amp; more"/>
          <event timestamp="1000" module="PARTICIPANT" eventname="ParticipantJoinEvent">
            <userId>w_1</userId><name>Jane &quot;J&quot; Doe</name>
          </event>
          <event timestamp="1100" module="PARTICIPANT" eventname="ParticipantJoinEvent">
            <name><![CDATA[Bob <b>]]></name><userId>w_2</userId>
          </event>
          <event timestamp="2000" module="PARTICIPANT" eventname="ParticipantStatusChangeEvent">
            <status>reactionEmoji</status><userId>w_1</userId><value>👍</value>
          </event>
          <event timestamp="5000" module="PARTICIPANT" eventname="RecordStatusEvent"><status>true</status></event>
          <event timestamp="7500" module="PARTICIPANT" eventname="ParticipantStatusChangeEvent">
            <date>2024-02-13T09:37:40.314-03</date><status>reactionEmoji</status><userId>w_1</userId>
            <value>👍🏽</value><timestampUTC>1707827860314</timestampUTC>
          </event>
          <event timestamp="8000" module="PARTICIPANT" eventname="ParticipantStatusChangeEvent">
            <status>reactionEmoji</status><userId>w_1</userId><value>none</value>
          </event>
          <event timestamp="9000" module="PARTICIPANT" eventname="ParticipantStatusChangeEvent">
            <status>raiseHand</status><userId>w_2</userId><value>true</value>
          </event>
          <event timestamp="10000" module="PARTICIPANT" eventname="RecordStatusEvent"><status>false</status></event>
          <event timestamp="11000" module="PARTICIPANT" eventname="ParticipantStatusChangeEvent">
            <status>reactionEmoji</status><userId>w_2</userId><value>❤️</value>
          </event>
          <event timestamp="20000" module="PARTICIPANT" eventname="RecordStatusEvent"><status>true</status></event>
          <event timestamp="21250" module="PARTICIPANT" eventname="ParticipantStatusChangeEvent">
            <status>emojiStatus</status><userId>w_2</userId><value>thumbsDown</value>
          </event>
          <event timestamp="22000" module="CHAT" eventname="PublicChatEvent">
            <senderId>w_2</senderId><message>&#127881;</message>
          </event>
          <event timestamp="22500" module="CHAT" eventname="PublicChatEvent">
            <senderId>w_2</senderId><message>hello 👍</message>
          </event>
          <event timestamp="23000" module="PARTICIPANT" eventname="ParticipantStatusChangeEvent">
            <status>reactionEmoji</status><userId>w_9</userId><value>👏</value>
          </event>
          <event timestamp="99000" module="PARTICIPANT" eventname="ParticipantStatusChangeEvent">
            <status>reactionEmoji</status><userId>w_1</userId><value>🎈</value>
          </event>
        </recording>
        """

    /// The recording shows both parts, one after the other: the second one begins at 5 s.
    @Test func eventsOfBigBlueButtonAreAtTheirPlaceInTheRecording() throws {
        let (changes, lines) = try add(Self.meeting)
        #expect(
            lines == [
                "2.5 thumbsUp Jane \"J\" Doe: 👍🏽", "6.25 thumbsDown Bob <b>: thumbsDown", "7 confetti Bob <b>: 🎉",
            ])
        #expect(changes.added == 3 && changes.unrecorded == 2 && changes.outside == 1 && changes.known == 0)
        #expect(changes.unknown.map(\.symbol) == ["raiseHand", "👏"])
    }

    @Test func meetingsWithoutRecordedPartsAreRecordedFromTheBeginning() throws {
        let text = Self.meeting.replacing("RecordStatusEvent", with: "OtherEvent")
        #expect(try add(text).lines.first == "1 thumbsUp Jane \"J\" Doe: 👍")
        let reset = Self.meeting.replacing(
            "<event timestamp=\"20000\"",
            with: "<event timestamp=\"15000\" eventname=\"RecordStatusReset\"/><event timestamp=\"20000\"")
        #expect(
            try add(reset).lines == ["1.25 thumbsDown Bob <b>: thumbsDown", "2 confetti Bob <b>: 🎉"])
    }

    // MARK: Zoom

    @Test func chatsOfZoomsCloudAreRead() throws {
        let (changes, lines) = try add(
            """
            00:00:03\tJane Doe:\tHello: all
            00:00:05\tBob:\tReacted to "Hello: all" with 👍
            00:00:06\tBob:\tRemoved a 👍 reaction from "Hello: all"
            00:00:07\tBob:\tReacted to "he said "x" with y" with ❤️
            00:00:08\tJane Doe:\t🎉
            00:00:09\tJane Doe:\tReacted to "Hello: all" with 😂
            00:10:00\tJane Doe:\tReacted to "Hello: all" with 👍\r
            """)
        #expect(lines == ["7 heart Bob: ❤️", "8 confetti Jane Doe: 🎉"])
        #expect(changes.added == 2 && changes.outside == 1 && changes.unknown.map(\.symbol) == ["😂"])
    }

    @Test func chatsThatZoomSavesHaveTimesOfTheDay() throws {
        let text = """
            23:59:50 From Jane to Bob Doe to Everyone:
            \tHello
            \tall
            23:59:58 From Bob to Everyone:
            \tReacted to "Hello
            all" with 👍
            00:00:05 From  Bob : 🎈
            """
        let (changes, lines) = try add(text, start: "23:59:55")
        #expect(lines == ["3 thumbsUp Bob: 👍", "10 balloons Bob: 🎈"])
        #expect(changes.added == 2)
        let missing = fault { try add(text) }
        #expect(missing.code == .usage && missing.message.contains("--start 14:00:00"))
        #expect(fault { try add(text, start: "2024-02-13T09:37:40Z") }.code == .usage)
        #expect(try add(text, start: "23:59:59").changes.outside == 1)
    }

    // MARK: Teams

    @Test func messagesOfTeamsAreRead() throws {
        let (changes, lines) = try add(
            """
            {"@odata.context": "x", "value": [
              {"id": "1", "createdDateTime": "2024-02-13T09:00:01Z", "body": {"content": "Hi"}, "reactions": [
                {"reactionType": "like", "createdDateTime": "2024-02-13T09:00:12.5Z",
                 "user": {"application": null, "user": {"id": "7", "displayName": "Jane Doe"}}},
                {"reactionType": "heart", "createdDateTime": "2024-02-13T10:00:14+01:00", "user": {"displayName": "Bob"}},
                {"reactionType": "laugh", "createdDateTime": "2024-02-13T09:00:15Z", "user": null}]},
              {"id": "2", "createdDateTime": "2024-02-13T09:00:02Z", "reactions": []}]}
            """, start: "2024-02-13T09:00:10Z")
        #expect(lines == ["2.5 thumbsUp Jane Doe: like", "4 heart Bob: heart"])
        #expect(changes.unknown.map(\.symbol) == ["laugh"] && changes.unknown.map(\.count) == [1])
    }

    // MARK: Tables

    @Test func tablesAreRead() throws {
        let csv = "Time;Reaction;Tile;Name\n0:05;👍;2;Jane\n7,5;sparkle;;\n\n30.25;CONFETTI;;\"a;b\"\n"
        let json = """
            [{"time": 5, "reaction": "👍", "tile": 2, "name": "Jane"}, {"time": 30.25, "reaction": "CONFETTI", "name": "a;b"},
             {"time": "0:00:07.5", "reaction": "sparkle"}]
            """
        let expected = ["5 thumbsUp tile 2 Jane: 👍", "7.5 sparkle -", "30.25 confetti a;b: CONFETTI"]
        #expect(try add(csv).lines == expected)
        #expect(try add(json).lines == expected)
        #expect(try add("{\"reactions\": \(json)}").lines == expected)
        #expect(try add("time,reaction\n-2,heart\n3,heart\n", start: "-3").lines == ["1 heart -", "6 heart -"])
    }

    @Test func symbolsAreMapped() throws {
        let given = ReactionSymbols(
            [], given: ["👏": .confetti, "raiseHand": .text("A question"), "👍": .fireworks])
        let (changes, lines) = try add(
            "time,reaction\n1,👏🏿\n2,RAISEHAND\n3,👍\n4,x\n4,x\n5,y\n", symbols: given)
        #expect(lines == ["1 confetti -", "2 text:A question -", "3 fireworks -"])
        #expect(changes.unknown.map(\.symbol) == ["x", "y"] && changes.unknown.map(\.count) == [2, 1])
    }

    /// A second import adds what the first one could not.
    @Test func reactionsAreAddedOnce() throws {
        var plan = try MarkerPlan(MarkerPlan.three, start: 1.4).plan
        let before = plan
        let text = "time,reaction,name\n1,👍,Jane\n2,👍,Jane\n2,👍,Bob\n"
        #expect(try add(text, to: &plan).changes.added == 3)
        #expect(plan.reactions.prefix(3) == before.reactions[...])
        #expect(plan.reactions.suffix(3).map(\.startTime) == [2.4, 3.4, 3.4])
        #expect(plan.reactions.suffix(3).allSatisfy { $0.trigger == .request && $0.isEnabled })
        let copy = plan
        let again = try add(text + "4,rain,Bob\n", to: &plan)
        #expect(again.changes.added == 1 && again.changes.known == 3)
        #expect(Array(plan.reactions.dropLast()) == copy.reactions)
        let reread = try ReactionPlan(json: Array(plan.json.utf8))
        #expect(reread.json == plan.json)
    }

    @Test func namesGetTheirTiles() throws {
        var plan = try MarkerPlan("").plan
        plan.layouts = LayoutTimeline([
            .init(
                startTime: 0,
                tiles: (1...3).map { LayoutTile(id: $0, x: 0, y: Double($0 - 1) * 0.3, width: 1, height: 0.3) })
        ])
        let people = "# gallery\n\nJane Doe=2\n a=b = 3 \n"
        let (changes, lines) = try add(
            "time,reaction,name\n1,👍,jane doe \n2,👍,a=b\n3,👍,Bob\n4,👍,\n", people: people, to: &plan)
        #expect(
            lines == [
                "1 thumbsUp tile 2 jane doe: 👍", "2 thumbsUp tile 3 a=b: 👍", "3 thumbsUp Bob: 👍", "4 thumbsUp -",
            ])
        #expect(changes.strangers.map(\.person) == ["Bob"])
        let unknown = fault { try add("time,reaction\n1,👍\n", people: "x=7\n", to: &plan) }
        #expect(unknown.message.contains("names tile 7, but p.json has the tiles 1, 2, 3"))
        for table in ["Jane\n", "=3\n", "Jane=0\n", "Jane=x\n"] {
            #expect(fault { try PeopleTable(Array(table.utf8), name: "n") }.message.contains("n: line 1:"))
        }
    }

    // MARK: Broken files

    @Test(arguments: [
        ("", "is empty"), (" \n\t", "is empty"), ("<recording><event timestamp=\"1\">", "the text ends inside <event>"),
        ("<recording>\n</wrong>", "line 2: </wrong> does not close <recording>"),
        ("<html/>", "the file begins with <html>"), ("<recording><event/></recording>", "no timestamp"),
        ("<recording><event timestamp=\"nan\"/></recording>", "no timestamp"),
        ("<!DOCTYPE x [<!ENTITY a \"&a;&a;\">]><recording/>", "line 1: a document type is not read"),
        ("<recording>&bomb;</recording>", "line 1: an & begins no known character"),
        ("<recording a=1/>", "the value of a has no quotes"), ("<recording a='1/>", "no closing quote"),
        ("<recording a/>", "the attribute a has no value"), ("<recording><!-- x", "--> is missing"),
        ("<", "a name is missing"), ("{", "line 1"), ("{}", "has no list"), ("[1]", "[0]: must be an object"),
        ("[]", "has no reactions"),
        ("[{\"time\": 1}]", "[0]: has no reaction"),
        ("[{\"time\": \"soon\", \"reaction\": \"x\"}]", "'soon' is no time"),
        ("a,b\n1,2\n", "line 1: no log of a meeting is known"), ("time,reaction\n", "has no reactions"),
        ("time,reaction\n1,👍\nx,👍\n", "line 3: 'x' is no time"), ("time,reaction\n1,\n", "line 2: has no reaction"),
        ("time,reaction,tile\n1,👍,0\n", "line 2: '0' is not the number of a tile"),
        ("time,reaction\n1,👍\n2024-02-13T09:37:40Z,👍\n", "line 3: some times have a date"),
        ("time,reaction\n1e99,👍\n", "'1e99' is no time"), ("hello", "line 1: no log of a meeting is known"),
        ("time,reaction\n1,\"👍\n", "line 2: the opening quote"), ("a\0b", "is not a text in UTF-8"),
    ])
    func brokenFilesAreNamed(_ text: String, reason: String) {
        let found = fault { try Self.log(text) }
        #expect(found.code == .inputUnusable, "\(text)")
        #expect(found.message.hasPrefix("the.log: ") && found.message.contains(reason), "\(found.message)")
        #expect(!found.message.contains("\n"))
    }

    @Test func deepElementsAreRefused() {
        let deep = String(repeating: "<recording>", count: 100_000)
        #expect(fault { try Self.log(deep) }.message.contains("more than 16 nested elements"))
        #expect(
            fault { try MeetingLog([0xFF, 0xFE, 0x41], name: "x", symbols: Self.symbols) }.message.contains("UTF-8"))
    }

    @Test(arguments: [
        ("12.5", 12.5), ("-3", -3), ("1:30", 90), ("0:01:30.25", 90.25), ("-0:10", -10), ("100:00:00", 360_000),
    ])
    func secondsAreTimes(_ text: String, seconds: Double) {
        #expect(MeetingLog.time(text)?.seconds == seconds && MeetingLog.time(text)?.clock == .recording)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2024-02-29T12:00:00.5Z", 1_709_208_000.5),
        ("2024-02-13T09:37:40.314-03", 1_707_827_860.314),
        ("2024-03-01 00:00:00+05:30", 1_709_231_400), ("2000-12-31T23:59:59", 978_307_199),
    ])
    func datesAreTimes(_ text: String, seconds: Double) throws {
        let time = try #require(MeetingLog.time(text))
        #expect(abs(time.seconds - seconds) < 0.0005 && time.clock == .world)
    }

    @Test(arguments: [
        "", "x", "1:2:3:4", "1:99", "1:", ":1", "2024-13-01T00:00:00Z", "2024-02-13T09Z", "nan", "inf", "1:1e9",
        "0x10:00",
        "2024-02-13T09:00:00+1",
    ])
    func otherTextsAreNoTimes(_ text: String) { #expect(MeetingLog.time(text) == nil) }
}
