import Testing
import TestSupport

@testable import Flourish
@testable import FlourishControl

@Suite struct EventFeedTests {
    private func started(_ id: Int, _ type: ReactionType, at time: Double) -> ReactionEvent {
        let effect = ReactionEvent.EffectDetail(
            id: id, reactionType: type, trigger: .request, gesture: nil, origin: PicturePoint(x: 0.5, y: 0.5),
            startTime: time)
        return ReactionEvent(time: time, frame: Int(time * 10), kind: .effectStarted(effect))
    }

    private func ended(_ id: Int, _ type: ReactionType, at time: Double) -> ReactionEvent {
        let effect = ReactionEvent.EffectEnd(id: id, reactionType: type, startTime: 0, endTime: time, framesDropped: 0)
        return ReactionEvent(time: time, frame: Int(time * 10), kind: .effectEnded(effect))
    }

    @Test func aLateReaderReceivesRunningEffectsFirst() throws {
        let feed = EventFeed()
        feed.publish(started(1, .rain, at: 1))
        feed.publish(started(2, .heart, at: 2))
        feed.publish(ended(1, .rain, at: 3))
        var (lines, place) = feed.join()
        #expect(lines.count == 1)
        let state = try JSONValue(parsing: lines[0].text)
        #expect(state["event"]?.string == "effectsInProgress" && state["frame"]?.integer == 30)
        #expect(state["effects"]?.array?.compactMap { $0["id"]?.integer } == [2])
        #expect(try JSONSchema.events().faults(in: state).isEmpty)

        #expect(feed.read(from: &place).isEmpty)
        let next = ended(2, .heart, at: 4)
        feed.publish(next)
        #expect(feed.read(from: &place).map(\.text) == [next.jsonLine])
    }

    @Test func aSlowReaderLosesTheOldestEventsWithTheirCount() throws {
        let feed = EventFeed()
        var (_, slow) = feed.join()
        let count = EventFeed.capacity + 7
        for index in 0..<count {
            feed.publish(
                ReactionEvent(
                    time: Double(index), frame: index, kind: .warning(code: .damagedInput, message: "")))
        }
        var lines: [String] = []
        while true {
            let some = feed.read(from: &slow).map(\.text)
            if some.isEmpty { break }
            lines += some
        }
        let lost = try JSONValue(parsing: lines[0])
        #expect(lost["event"]?.string == "eventsLost" && lost["count"]?.integer == 7)
        #expect(lost["frame"]?.integer == 7, "it stands where the reading goes on")
        #expect(lines.count == 1 + EventFeed.capacity)
        #expect(try JSONValue(parsing: lines[1])["frame"]?.integer == 7)
        #expect(try JSONSchema.events().faults(in: lost).isEmpty)
    }

    @Test func aLateReaderReceivesTheStartOfTheStream() throws {
        let feed = EventFeed()
        let start = ReactionEvent(
            time: 0, frame: 0,
            kind: .streamStarted(
                .init(
                    input: "a.mp4", width: 2, height: 2, availableReactionTypes: [.rain], gesturesEnabled: true,
                    reactionsEnabled: true)))
        let tiles = [LayoutTile(id: 1, x: 0, y: 0, width: 0.5, height: 1)]
        for event in [start, ReactionEvent(time: 1, frame: 9, kind: .layoutChanged(tiles))] { feed.publish(event) }
        feed.publish(started(1, .rain, at: 1))
        let (state, _) = feed.join()
        #expect(state.map(\.event) == ["streamStarted", "layoutChanged", "effectsInProgress"])
        #expect(state.first?.text == start.jsonLine)
        for line in state {
            #expect(try JSONSchema.events().faults(in: JSONValue(parsing: line.text)).isEmpty, "\(line.text)")
        }
    }

    @Test func aReaderResumesAfterALineThatItKnows() throws {
        let feed = EventFeed()
        feed.publish(started(1, .rain, at: 1))
        feed.publish(started(2, .heart, at: 2))
        var place = try #require(feed.resume(after: 0))
        #expect(feed.read(from: &place).map(\.index) == [1])
        #expect(feed.resume(after: 2) == nil && feed.resume(after: -1) == nil)
    }

    @Test func everyReaderIsWoken() async throws {
        let feed = EventFeed()
        let (_, place) = feed.join()
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var events: [String] = []
                    try await feed.follow(from: place) { events += $0.map(\.event) }
                    return events
                }
            }
            feed.publishChange(of: "calm", to: .flag(true))
            feed.close()
            for try await events in group { #expect(events == ["propertyChanged"]) }
        }
        var (_, late) = feed.join()
        #expect(feed.read(from: &late).isEmpty, "a reader gets what comes after it")
    }
}
