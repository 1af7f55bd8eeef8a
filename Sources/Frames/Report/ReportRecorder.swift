import FoundationEssentials
package import Reactions

/// Builds a report from the encoder's feedback and from events.
package struct ReportRecorder: Sendable {
    private(set) var report = EncodingReport()
    /// The sum of quantisers, and the number of frames with a known quantiser, of each window (an interval of the
    /// report).
    private var quantisers: [(sum: Double, count: Int)] = []
    /// The presentation time of the first frame, in seconds.
    private var start: Double?

    /// The maximum number of windows. If more are needed, pairs of windows are merged into windows of twice the length.
    package static let maximumWindows = 600

    /// Adds a frame to its window.
    package mutating func add(_ feedback: EventSequencer.Feedback) {
        // Frames arrive in decoding order. The first frame in this order is also shown first.
        let first = start ?? feedback.presentationTime
        start = first
        // The tolerance of a millisecond allows for containers that round times.
        var index = max(Int((feedback.presentationTime - first + 0.001) / report.windowLength), 0)
        while index >= Self.maximumWindows {
            halve()
            index /= 2
        }
        while report.windows.count <= index {
            report.windows.append(
                .init(
                    time: first + Double(report.windows.count) * report.windowLength, bits: 0, frames: 0))
            quantisers.append((0, 0))
        }
        report.windows[index].bits += feedback.bits
        report.windows[index].frames += 1
        guard let qp = feedback.qp else { return }
        quantisers[index].sum += qp
        quantisers[index].count += 1
        report.windows[index].meanQP = quantisers[index].sum / Double(quantisers[index].count)
        report.windows[index].maxQP = max(report.windows[index].maxQP ?? qp, qp)
    }

    /// Adds an event that the report lists. Other events are ignored.
    package mutating func add(_ event: ReactionEvent) {
        switch event.kind {
        case .streamStarted(let stream): report.input = stream.input
        case .effectEnded(let effect): append(.init(end: effect), to: \.effects)
        case .encoderRecovered(let recovery):
            for index in report.effects.indices where report.effects[index].end.endTime == recovery.endTime {
                report.effects[index].recovery = recovery.seconds
            }
        case .encoderAdjusted(let change): append(.init(time: event.time, change: change), to: \.adjustments)
        case .frameRateChanged(let change): append(.init(time: event.time, change: change), to: \.frameRates)
        case .streamEnded(let summary): report.summary = summary
        default: break
        }
    }

    private mutating func append<Entry>(_ entry: Entry, to list: WritableKeyPath<EncodingReport, [Entry]>) {
        guard report[keyPath: list].count < EncodingReport.longestList else {
            report.omitted += 1
            return
        }
        report[keyPath: list].append(entry)
    }

    /// Merges pairs of windows.
    private mutating func halve() {
        var windows: [EncodingReport.Window] = []
        var sums: [(sum: Double, count: Int)] = []
        for index in stride(from: 0, to: report.windows.count, by: 2) {
            var window = report.windows[index]
            var sum = quantisers[index]
            if index + 1 < report.windows.count {
                let next = report.windows[index + 1]
                window.bits += next.bits
                window.frames += next.frames
                window.maxQP = [window.maxQP, next.maxQP].compactMap { $0 }.max()
                sum.sum += quantisers[index + 1].sum
                sum.count += quantisers[index + 1].count
            }
            window.meanQP = sum.count > 0 ? sum.sum / Double(sum.count) : nil
            windows.append(window)
            sums.append(sum)
        }
        report.windows = windows
        quantisers = sums
        report.windowLength *= 2
    }
}
