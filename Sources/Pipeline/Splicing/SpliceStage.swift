import MediaIO
import Platform
import RateControl
import Reactions

/// Reads a recording and hands on its packets, those of spans replaced by what becomes of them.
///
/// Each span gets the packets that it needs on the way, so that the file is read once, from its beginning to its end.
///
/// Sink: packets of all streams, in the order of the file.
struct SpliceStage: Stage, ~Copyable {
    private let demuxer: Demuxer
    private let workshop: SpanWorkshop?
    private let survey: VideoSurvey
    private let timing: SpliceTiming
    private let orders: [SpanWork.Order]
    private let sink: Channel<OutputItem>
    private let teller: SpliceTeller
    private let interrupt: InterruptFlag
    private var queue = SpliceQueue()
    private var works: [Int: SpanWork] = [:]
    private var results: [Int: SpanResult] = [:]
    /// The spans whose packets are still to come begin with this one.
    private var nextSpan = 0
    private var outcome = Outcome()

    /// What became of the recording.
    struct Outcome: Sendable {
        var copied = 0
        var encoded = 0
        var wasInterrupted = false
        /// The spans that became part of the output, with the pictures next to them. One that was encoded, but lay behind
        /// the end of a stopped run, did not.
        var witnesses: [Int: [SpliceCheck.Witness]] = [:]
        /// The presentation times of what was handed on, in ticks.
        var times: [Int64] = []
        /// What is missing of the recording, where its end is.
        var endedEarly: String?
    }

    /// A finished span, as far as it is not handed on.
    private struct SpanResult {
        var packets: [QueuedPacket]
        var times: [Int64]
        var witnesses: [SpliceCheck.Witness]
        var place = 0
    }

    /// So many bytes may wait for a span before reading waits, too.
    private static let mostWaiting = 64 << 20
    /// How long spans that have all they need may still take once the run is stopped, in nanoseconds.
    private static let grace: UInt64 = 1_200_000_000
    /// When the stage first saw that the run is stopped.
    private var stopTime: UInt64?

    /// The run was stopped, and a span takes longer than anybody wants to wait.
    private struct GivenUp: Error {}

    init(
        demuxer: Demuxer, workshop: SpanWorkshop?, survey: VideoSurvey, timing: SpliceTiming, orders: [SpanWork.Order],
        into sink: Channel<OutputItem>, teller: SpliceTeller, interrupt: InterruptFlag
    ) {
        self.demuxer = demuxer
        self.workshop = workshop
        self.survey = survey
        self.timing = timing
        self.orders = orders
        self.sink = sink
        self.teller = teller
        self.interrupt = interrupt
    }

    /// Reads to the end, or until the run is stopped: the output then ends before the first span that is not done soon.
    ///
    /// - Throws: `MediaError`, ``FlourishError``; `SpliceObstacle` where the recording turns out not to be what it
    ///   was taken for.
    consuming func run() throws -> Outcome {
        let sink = sink
        defer { sink.finish() }
        do { try readAll() } catch {
            for work in works.values { work.cancel() }
            guard error is GivenUp else { throw error }
            outcome.wasInterrupted = true
        }
        for work in works.values { work.cancel() }
        return outcome
    }

    private mutating func readAll() throws {
        var number = 0
        while let packet = try readPacket() {
            guard packet.streamIndex == demuxer.video.index else {
                queue.append(packet)
                continue
            }
            guard number < survey.pictures.count,
                packet.presentationTime?.value == survey.pictures[number].presentationTime,
                packet.size == Int(survey.pictures[number].size)
            else { throw SpliceObstacle("it changed while it was read") }
            try give(packet, number)
            number += 1
            guard try passOn(all: false) else { return }
        }
        if !outcome.wasInterrupted, number < survey.pictures.count {
            throw SpliceObstacle("it changed while it was read")
        }
        outcome.endedEarly = demuxer.endedEarly?.description
        // A span that lacks packets cannot be finished: the output ends before it.
        for (span, work) in works where orders[span].span.decoded.upperBound > number { work.cancel() }
        _ = try passOn(all: true)
    }

    private mutating func readPacket() throws -> Packet? {
        do throws(MediaError) {
            if !interrupt.isRaised, let packet = try demuxer.readPacket() { return packet }
        } catch {
            guard error.code == .interrupted else { throw error }
        }
        outcome.wasInterrupted = interrupt.isRaised
        return nil
    }

    /// Gives a packet of the video to the spans that decode it, and puts it, or its place, into the queue.
    private mutating func give(_ packet: consuming Packet, _ number: Int) throws {
        while nextSpan < orders.count, orders[nextSpan].span.decoded.upperBound <= number { nextSpan += 1 }
        var isReplaced = false
        for index in nextSpan..<orders.count {
            let span = orders[index].span
            guard span.decoded.lowerBound <= number else { break }
            guard span.decoded.contains(number) else { continue }
            try work(index, at: number).take(try packet.shared())
            if number + 1 == span.decoded.upperBound { works[index]?.finishInput() }
            guard span.replaces(number) else { continue }
            isReplaced = true
            // What is coded with the span stands before the picture that it led.
            if span.packets.contains(number) {
                queue.appendPlace(
                    of: index, decodingTime: timing.decodingTime(of: number),
                    isLast: number == span.packets.upperBound - 1)
            }
        }
        if isReplaced || survey.pictures[number].isCutAway { return }
        let followsOpenly = orders.contains { $0.span.end == .openEntry && $0.span.packets.upperBound == number }
        let copy = followsOpenly ? try BrokenLink.marked(packet, of: demuxer) : packet
        copy.time(decoding: timing.decodingTime(of: number))
        queue.append(copy)
    }

    /// The work on a span, which is begun if it was not. No more are under way than there are cores.
    private mutating func work(_ index: Int, at number: Int) throws -> SpanWork {
        if let work = works[index] { return work }
        let running = works.keys.sorted().filter { works[$0]?.isDone == false }
        // One that lacks packets still would wait for ever.
        let next = running.first { orders[$0].span.decoded.upperBound <= number }
        if running.count >= SpanWorkshop.mostSpans, let next { try finish(next) }
        guard let workshop else { throw FlourishError(.internal, "a span without a workshop") }
        let work = SpanWork(orders[index], workshop: workshop, decoder: try workshop.makeDecoder())
        works[index] = work
        work.start()
        return work
    }

    /// Waits for a span.
    private mutating func finish(_ index: Int) throws {
        guard results[index] == nil, let work = works[index] else { return }
        try wait(for: work)
        let result = work.wait()
        if let obstacle = result.obstacle { throw obstacle }
        if let failure = result.failure { throw failure }
        let coded = result.packets.map { $0.packet?.presentationTime?.value ?? 0 }
        guard let times = timing.decodingTimes(of: coded, replacing: orders[index].span) else {
            throw SpliceObstacle("its packets' times leave no room for others")
        }
        results[index] = SpanResult(
            packets: result.packets, times: times, witnesses: result.witnesses)
        teller.note(result, of: index)
    }

    /// Waits until a span is done.
    ///
    /// - Throws: `GivenUp`.
    private mutating func wait(for work: SpanWork) throws {
        while !work.isDone {
            if interrupt.isRaised {
                let now = MonotonicClock.now
                let since = stopTime ?? now
                stopTime = since
                if now - since > Self.grace { throw GivenUp() }
            }
            usleep(1000)
        }
    }

    /// Hands on what need not wait.
    ///
    /// - Parameter all: whether to wait for everything.
    /// - Returns: whether anybody wants more.
    private mutating func passOn(all: Bool) throws -> Bool {
        while let entry = queue.first {
            switch entry {
            case .packet:
                guard let packet = queue.takeFirst() else { continue }
                if packet.streamIndex == demuxer.video.index {
                    outcome.copied += 1
                    if let time = packet.presentationTime { teller.tell(until: time.seconds) }
                }
                note(packet)
                guard sink.send(.packet(packet)) else { return false }
            case .replaced(let span, let time, let isLast):
                guard let work = works[span] else { return false }
                if results[span] == nil, !work.isDone, !all, queue.size < Self.mostWaiting { return true }
                if all, outcome.wasInterrupted, work.isCancelled { return false }
                try finish(span)
                teller.tell(span: span)
                queue.removeFirst()
                guard try sendReplacement(of: span, until: isLast ? .max : time) else { return false }
                if isLast { (works[span], results[span]) = (nil, nil) }
            }
        }
        return true
    }

    private mutating func note(_ packet: borrowing Packet) {
        guard packet.streamIndex == demuxer.video.index, let time = packet.presentationTime else { return }
        outcome.times.append(time.value)
    }

    /// Hands on a span's packets up to a decoding time.
    private mutating func sendReplacement(of span: Int, until time: Int64) throws -> Bool {
        guard var result = results.removeValue(forKey: span) else { return true }
        if outcome.witnesses[span] == nil { outcome.witnesses[span] = result.witnesses }
        while result.place < result.packets.count, result.times[result.place] <= time {
            guard let packet = result.packets[result.place].packet.take() else { break }
            packet.time(decoding: result.times[result.place])
            result.place += 1
            outcome.encoded += 1
            note(packet)
            guard sink.send(.packet(packet)) else { return false }
        }
        results[span] = result
        return true
    }
}
