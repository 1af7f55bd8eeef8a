import Foundation

/// Milliseconds a frame that drawing takes, for each effect and size, on one core.
/// The program measures itself (`flourish preview TYPE --measure`): an encoder's time
/// is no part of it.
struct DrawingBenchmark {
    let options: Options
    let media: Media

    /// What `preview --measure` prints.
    private struct Measurement: Decodable {
        var frames: Int
        var meanMilliseconds: Double
        var medianMilliseconds: Double
        var maximumMilliseconds: Double
    }

    private struct Reaction: Decodable { var reactionType: String }

    func run() throws -> Table {
        var table = Table(
            name: "drawing", title: "Drawing: milliseconds a frame on one core",
            columns: ["effect", "size", "frames", "mean", "median", "maximum"])
        for type in try reactionTypes() {
            for size in ["1280x720", "1920x1080"] {
                let result: Measurement = try decode(["preview", type, "--measure", "--size", size])
                table.rows.append([
                    .text(type), .text(size), .number(Double(result.frames), places: 0),
                    .number(result.meanMilliseconds, places: 2),
                    .number(result.medianMilliseconds, places: 2),
                    .number(result.maximumMilliseconds, places: 2),
                ])
            }
        }
        return table
    }

    private func reactionTypes() throws -> [String] {
        let reactions: [Reaction] = try decode(["reactions", "--json"])
        return reactions.map(\.reactionType)
    }

    private func decode<Value: Decodable>(_ arguments: [String]) throws -> Value {
        let data = try Child.output(of: [options.program] + arguments, in: media.scratch)
        return try JSONDecoder().decode(Value.self, from: data)
    }
}
