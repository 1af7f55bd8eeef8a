import FoundationEssentials
import Reactions

extension EncodingReport {
    /// The version of the report's JSON. A breaking change raises it.
    public static let schema = 1

    /// The report as JSON, in lines for people; docs/report.schema.json describes it.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("a report that JSON cannot hold")
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
