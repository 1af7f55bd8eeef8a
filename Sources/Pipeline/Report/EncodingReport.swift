import FoundationEssentials
public import Reactions

/// A report of an encoding over time, as `flourish filter --report` writes it (docs/encoding.md).
///
/// The report's size is limited, whatever the video's length. Windows of a long video are longer, and effects and
/// changes beyond ``longestList`` are only counted.
public struct EncodingReport: Sendable, Hashable {
    /// The frames of an interval of time.
    public struct Window: Sendable, Hashable {
        /// The start, in seconds.
        public var time: Double
        /// The size of its frames in bits.
        public var bits: Int
        /// The number of frames that are shown in the interval.
        public var frames: Int
        /// The mean quantiser of its frames; `nil` if the encoder does not report it.
        public var meanQP: Double?
        /// The largest quantiser of its frames; `nil` if the encoder does not report it.
        public var maxQP: Double?
    }

    /// An effect that ended.
    public struct Effect: Sendable, Hashable {
        /// The effect's times and cost.
        public var end: ReactionEvent.EffectEnd
        /// The time from the end of the effect until the quantiser had recovered, in seconds; `nil` if another effect
        /// or the end of the video preceded the recovery.
        public var recovery: Double?
    }

    /// A change of the encoder's targets.
    public struct Adjustment: Sendable, Hashable {
        /// The time of the change, in seconds.
        public var time: Double
        /// The targets before and after.
        public var change: ReactionEvent.EncoderAdjustment
    }

    /// A change of the frame rate.
    public struct FrameRate: Sendable, Hashable {
        /// The time of the change, in seconds.
        public var time: Double
        /// The rates before and after.
        public var change: ReactionEvent.FrameRateChange
    }

    /// The input's name as the user specified it.
    public var input = ""
    /// The figures of the whole stream.
    public var summary: ReactionEvent.StreamSummary?
    /// The length of a window in seconds.
    public var windowLength = 0.1
    /// All windows, in order, without gaps.
    public var windows: [Window] = []
    /// The effects, in the order of their ends.
    public var effects: [Effect] = []
    /// The changes of the encoder's targets.
    public var adjustments: [Adjustment] = []
    /// The changes of the frame rate.
    public var frameRates: [FrameRate] = []
    /// The number of effects and changes that the lists omit.
    public var omitted = 0

    /// The maximum length of each list.
    public static let longestList = 1000
}

extension EncodingReport {
    /// The version of the report's JSON. A breaking change increments it.
    public static let schema = 1

    /// The report as pretty-printed JSON; docs/report.schema.json describes it.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("a report that JSON cannot represent")
        }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

extension EncodingReport: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try fields.encode(Self.schema, forKey: "schema")
        try fields.encode(input, forKey: "input")
        try fields.encodeIfPresent(summary?.framesIn, forKey: "framesIn")
        try fields.encodeIfPresent(summary?.framesOut, forKey: "framesOut")
        try fields.encodeIfPresent(summary?.framesDropped, forKey: "framesDropped")
        try fields.encode(seconds: summary?.seconds, forKey: "seconds")
        try fields.encode(windows.reduce(0) { $0 + $1.bits }, forKey: "bits")
        try fields.encode(seconds: windowLength, forKey: "windowSeconds")
        try fields.encode(windows, forKey: "windows")
        try fields.encode(effects, forKey: "effects")
        try fields.encode(adjustments, forKey: "adjustments")
        try fields.encode(frameRates, forKey: "frameRates")
        try fields.encodeIfPresent(summary?.sounds?.map(\.rounded), forKey: "sounds")
        try fields.encode(omitted, forKey: "omitted")
    }
}

extension EncodingReport.Window: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try fields.encode(seconds: time, forKey: "time")
        try fields.encode(bits, forKey: "bits")
        try fields.encode(frames, forKey: "frames")
        try fields.encodeIfPresent(meanQP.map { JSONLine.rounded($0, places: 2) }, forKey: "meanQP")
        try fields.encodeIfPresent(maxQP.map { JSONLine.rounded($0, places: 2) }, forKey: "maxQP")
    }
}

extension EncodingReport.Effect: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try end.encode(into: &fields)
        try fields.encode(seconds: recovery, forKey: "recoverySeconds")
    }
}

extension EncodingReport.Adjustment: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try fields.encode(seconds: time, forKey: "time")
        try change.encode(into: &fields)
    }
}

extension EncodingReport.FrameRate: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: FieldName.self)
        try fields.encode(seconds: time, forKey: "time")
        try fields.encode(seconds: change.from, forKey: "from")
        try fields.encode(seconds: change.to, forKey: "to")
        try fields.encode(change.reason, forKey: "reason")
    }
}

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
