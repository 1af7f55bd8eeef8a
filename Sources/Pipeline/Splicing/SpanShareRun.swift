package import MediaIO
import Platform
package import Reactions

/// Encodes a share of a recording's spans into a file, for a run that puts all spans between the recording's packets.
package struct SpanShareRun {
    private let request: PipelineRequest
    private let control: SessionControl
    private let share: RecordingShare
    private let layout: SpliceLayout
    /// The spans of the share by their numbers among all.
    private let numbers: [Int]

    /// Runs on a thread of its own and waits without blocking the caller's.
    ///
    /// - Parameters:
    ///   - key: a hash of all that spans depend on, and the recording with it.
    ///   - path: the file to write.
    /// - Returns: how many spans it wrote, of how many.
    /// - Throws: ``FlourishError``; ``FlourishError/Code/interrupted`` where it was stopped before the end.
    package static func start(
        _ request: PipelineRequest, survey: VideoSurvey, share: RecordingShare, key: String, to path: String,
        control: SessionControl
    ) async throws(FlourishError) -> (written: Int, all: Int) {
        try await StageThread.run { () throws(FlourishError) in
            do {
                let run = try SpanShareRun(request, survey, share, control: control)
                try run.encode(key: key, to: path)
                return (run.numbers.count, run.layout.orders.count)
            } catch let obstacle as SpliceObstacle {
                throw FlourishError.withoutSpans(request.input, obstacle)
            } catch {
                throw FlourishError(describing: error)
            }
        }.get()
    }

    private init(
        _ request: PipelineRequest, _ survey: VideoSurvey, _ share: RecordingShare, control: SessionControl
    ) throws {
        self.request = request
        self.control = control
        self.share = share
        layout = try SpliceLayout(request, survey, control: control)
        numbers = layout.orders.indices.filter(share.holds)
    }

    private func encode(key: String, to path: String) throws {
        let writer = try SpanFileWriter(
            path, .init(key: key, share: share.number, shares: share.count, spans: numbers))
        let orders = numbers.map { layout.orders[$0] }
        var crew = SpanCrew(orders, workshop: layout.workshop, interrupt: control.interrupt)
        defer { crew.cancel() }
        var reader = SurveyedReader(layout.demuxer, survey: layout.survey, interrupt: control.interrupt)
        var written = 0
        /// Writes those that are done, in their order.
        func pass(all: Bool) throws {
            while written < orders.count, all || crew.isDone(written) {
                let (table, bytes) = try contents(try crew.result(of: written), orders[written])
                try writer.append(table, bytes)
                written += 1
            }
        }
        let end = orders.last?.span.decoded.upperBound ?? 0
        do {
            while reader.count < end, let packet = try reader.read() {
                guard packet.streamIndex == layout.demuxer.video.index else { continue }
                _ = try crew.give(packet, reader.number)
                try pass(all: false)
                tellProgress(reader.count, of: end)
            }
            if !reader.wasInterrupted { try pass(all: true) }
        } catch is SpanCrew.GivenUp {
            // What is missing says that it was stopped.
        }
        guard written == orders.count else {
            throw FlourishError(.interrupted, "\(request.input): stopped before its end; nothing was written")
        }
        if control.memory.isSome { throw MediaError.refusedMemory(path) }
        try writer.finish(overwrite: request.configuration.overwrite)
    }

    /// What the file says of a span, and the bytes of its packets.
    private func contents(_ result: SpanWork.Result, _ order: SpanWork.Order) throws -> (SpanFile.Table, [UInt8]) {
        var bytes: [UInt8] = []
        var packets: [PacketContent] = []
        for queued in result.packets {
            guard let packet = queued.packet.take(), let content = PacketContent(packet) else {
                throw SpliceObstacle("its encoder does not say when each picture is shown")
            }
            packets.append(content)
            bytes += packet.bytes
        }
        let table = SpanFile.Table(
            firstFrame: order.firstFrame, frames: order.times.count, sets: layout.workshop?.setsHash ?? "",
            packets: packets, witnesses: result.witnesses, events: result.events.compactMap(SpanEvent.init))
        return (table, bytes)
    }

    private func tellProgress(_ count: Int, of end: Int) {
        let duration = layout.seconds((layout.times.last ?? 0) - (layout.times.first ?? 0)) + layout.lastDuration
        request.observer.progress?(
            SessionProgress(
                frames: count, seconds: duration * Double(count) / Double(max(end, 1)), duration: duration, effects: 0))
    }
}

extension FlourishError {
    /// The error of a recording that is encoded as a whole, so that there is nothing to share.
    package static func withoutSpans(_ input: String, _ obstacle: SpliceObstacle) -> FlourishError {
        FlourishError(
            .inputUnusable, "\(input): has no spans to share, since all of it is encoded: \(obstacle)")
    }
}
