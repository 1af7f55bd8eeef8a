import Foundation

/// A run of `flourish filter`: its cost, and its smart rendering summary.
struct SmartRun {
    /// Seconds.
    struct Timing: Decodable {
        var looking: Double
        var rendering: Double
        var checking: Double
    }

    struct Summary: Decodable {
        struct Span: Decodable {}
        var framesCopied: Int
        var framesEncoded: Int
        var spans: [Span]
        var timing: Timing
    }

    private struct Event: Decodable {
        var event: String
        var wholeReason: String?
        var smartRender: Summary?
    }

    var cost: Cost
    /// `nil` if the whole was encoded.
    var summary: Summary?

    /// - Throws: ``BenchError`` if the whole was encoded without a request.
    init(_ program: String, _ input: String, _ output: String, _ more: [String], events: String) throws {
        cost = try Child.run(
            [program, "filter", input, output, "--overwrite", "--no-config", "--quiet", "--events", events] + more)
        for line in try Data(contentsOf: URL(filePath: events)).split(separator: UInt8(ascii: "\n")) {
            let event = try JSONDecoder().decode(Event.self, from: line)
            if let reason = event.wholeReason, more.contains("--smart-render") == false {
                throw BenchError("\(input) was encoded as a whole: \(reason)")
            }
            if let value = event.smartRender { summary = value }
        }
    }
}
