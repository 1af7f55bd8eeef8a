import Flourish
import Reactions

/// The log of a meeting, whose reactions a plan gets.
package struct MeetingTarget: FuzzTarget {
    package let name = "meeting"
    package init() {}

    package func seeds() throws -> [FuzzInput] {
        [
            FuzzInput(
                "xml",
                """
                <?xml version="1.0"?><recording a="1"><!-- x --><event timestamp="1000" eventname="ParticipantJoinEvent">
                <userId>w_1</userId><name><![CDATA[Jane]]> &amp; &#x4a;</name></event>
                <event timestamp="2000" eventname="RecordStatusEvent"><status>true</status></event>
                <event timestamp='4000' eventname="ParticipantStatusChangeEvent"><status>reactionEmoji</status>
                <userId>w_1</userId><value>👍</value></event><event timestamp="5000" eventname="RecordStatusReset"/>
                <event timestamp="9000" eventname="PublicChatEvent"><message>🎉</message></event></recording>
                """),
            FuzzInput(
                "txt", "00:00:05\tJane:\tReacted to \"x\" with 👍\n00:00:06\tJane:\tRemoved a 👍 reaction from \"x\"\n"),
            FuzzInput(
                "txt", "2024-02-13 14:02:11 From Jane to Everyone:\n\tReacted to \"x\" with ❤️\n14:02:12 From Bob : 🎈\n"),
            FuzzInput("csv", "time,reaction,name,tile\n0:00:05,👍,Jane,\n7.5,\"confetti\",,3\n"),
            FuzzInput(
                "json",
                #"{"value": [{"reactions": [{"reactionType": "like", "createdDateTime": "2024-02-13T09:00:12.5Z", "user": {"user": {"displayName": "Jane"}}}]}]}"#
            ),
            FuzzInput(
                "json", #"[{"time": "0:00:05.5", "reaction": "heart", "tile": 2}, {"time": 7, "reaction": "x"}]"#),
        ]
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        do {
            let symbols = ReactionSymbols([], given: seed % 2 == 0 ? ["x": .rain] : [:])
            let log = try MeetingLog(input.bytes, name: "log", symbols: symbols)
            var plan = try ReactionPlan(json: Array(PlanTarget.plan.utf8))
            // Some inputs get the start of another clock, which is refused.
            let start =
                switch seed % 4 == 0 ? .world : log.clock {
                case .recording: "1"
                case .day: "14:02:00"
                case .world: "2024-02-13T09:00:00Z"
                }
            _ = try plan.add(log, start: MeetingLog.start(start), symbols: symbols, people: nil)
            try plan.validate()
            _ = plan.json
            return "accepted"
        } catch { return try Refusal.word(for: error) }
    }
}
