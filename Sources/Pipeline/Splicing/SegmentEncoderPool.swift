import MediaIO
import Platform
import Reactions

/// Owns the encoders of a recording's segments, at most as many at once as the factory allows. ``SpliceStage`` passes
/// each packet to the pool after reading it, and the pool passes it to the segments that decode it.
struct SegmentEncoderPool {
    private let jobs: [SegmentEncoder.Job]
    private let factory: SegmentEncoderFactory?
    private let interrupt: InterruptFlag
    private var works: [Int: SegmentEncoder] = [:]
    /// The results of finished segments that were not yet requested.
    private var finished: [Int: SegmentEncoder.Result] = [:]
    /// The indices of segments that will not receive all their packets.
    private var cut: Set<Int> = []
    /// The index of the first segment whose packets have not been read yet.
    private var next = 0
    /// The number of packets of the video received so far.
    private var count = 0
    /// The time at which the pool first noticed that the run was stopped, in nanoseconds of ``MonotonicClock``.
    private var stopTime: UInt64?

    /// The error after a stop, if a segment takes longer than the grace period.
    struct GivenUp: Error {}

    /// The time that complete segments may still take after the run was stopped, in nanoseconds.
    private static let gracePeriod: UInt64 = 1_200_000_000

    /// - Parameter jobs: The encoding job of each segment, in their order.
    init(_ jobs: [SegmentEncoder.Job], factory: SegmentEncoderFactory?, interrupt: InterruptFlag) {
        self.jobs = jobs
        self.factory = factory
        self.interrupt = interrupt
    }

    /// Passes a packet to the segments that decode it.
    ///
    /// - Parameter number: the number of the packet among the video's packets.
    /// - Returns: the indices of the segments that received the packet.
    mutating func give(_ packet: borrowing Packet, _ number: Int) throws -> [Int] {
        count = number + 1
        while next < jobs.count, jobs[next].span.decoded.upperBound <= number { next += 1 }
        var takers: [Int] = []
        for index in next..<jobs.count {
            let span = jobs[index].span
            guard span.decoded.lowerBound <= number else { break }
            guard span.decoded.contains(number) else { continue }
            takers.append(index)
            let work = try work(index, at: number)
            work.take(try packet.shared())
            if number + 1 == span.decoded.upperBound { work.finishInput() }
        }
        return takers
    }

    /// Returns the encoder of a segment, and starts it if necessary.
    private mutating func work(_ index: Int, at number: Int) throws -> SegmentEncoder {
        if let work = works[index] { return work }
        guard let factory else { throw FlourishError(.internal, "a segment without a factory") }
        let running = works.keys.sorted().filter { works[$0]?.isDone == false }
        // Only segments that have all their packets are waited for. Waiting for another would never end, because this
        // thread also reads the packets.
        let complete = running.first { jobs[$0].span.decoded.upperBound <= number }
        if running.count >= factory.maximumSpans, let complete { finished[complete] = try wait(for: complete) }
        let work = SegmentEncoder(jobs[index], factory: factory, decoder: try factory.makeDecoder())
        works[index] = work
        work.start()
        return work
    }

    /// Returns whether a segment has all packets that it decodes. Before that, it cannot finish.
    func hasAllPackets(_ index: Int) -> Bool { jobs[index].span.decoded.upperBound <= count }

    /// Returns whether ``result(of:)`` would return immediately.
    func isDone(_ index: Int) -> Bool { finished[index] != nil || works[index]?.isDone == true }

    /// Returns whether a segment can no longer finish.
    func isLost(_ index: Int) -> Bool { cut.contains(index) || works[index]?.isCancelled == true }

    /// Waits for a segment, and returns its result. It is called once for each segment.
    ///
    /// - Throws: `SmartRenderUnavailable`, ``FlourishError``, ``GivenUp``.
    mutating func result(of index: Int) throws -> SegmentEncoder.Result {
        if let result = finished.removeValue(forKey: index) { return result }
        return try wait(for: index)
    }

    /// Waits for a segment's encoder, removes it, and throws its error, if there is one.
    private mutating func wait(for index: Int) throws -> SegmentEncoder.Result {
        guard let work = works[index] else { throw FlourishError(.internal, "a segment without an encoder") }
        while !work.isDone {
            if interrupt.isRaised {
                let now = MonotonicClock.now
                let since = stopTime ?? now
                stopTime = since
                if now - since > Self.gracePeriod { throw GivenUp() }
            }
            usleep(1000)
        }
        works[index] = nil
        let result = work.wait()
        if let unavailable = result.unavailable { throw unavailable }
        if let failure = result.failure { throw failure }
        return result
    }

    /// Cancels the segments that need packets with this number or later ones, because these packets will not be read.
    mutating func cut(after number: Int) {
        for index in jobs.indices where jobs[index].span.decoded.upperBound > number {
            cut.insert(index)
            works[index]?.cancel()
        }
    }

    /// Cancels all segments.
    func cancel() {
        for work in works.values { work.cancel() }
    }
}
