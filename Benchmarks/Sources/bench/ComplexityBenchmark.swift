import Foundation

/// How many times the bits of the same frames without it each effect takes at the same quality:
/// the `complexity` of its description.
struct ComplexityBenchmark {
    let options: Options
    let media: Media

    private struct Reaction: Decodable { var reactionType: String }

    func run() throws -> Table {
        let clips = try media.encoderClips()
        var table = Table(
            name: "complexity", title: "Bits of an effect's frames over those of the same frames without it: "
                + "1280×720, x264 veryfast, CRF 23; the geometric mean of the recorded clips",
            columns: ["effect"] + clips.map(\.name) + ["mean", "described"])
        let types = try JSONDecoder().decode(
            [Reaction].self, from: Child.output(of: [options.program, "reactions", "--json"], in: media.scratch)
        ).map(\.reactionType)
        let plain = try clips.map { try packets($0.path, []).packets }
        for type in types {
            let ratios = try clips.indices.map { index in
                let (drawn, effect) = try packets(clips[index].path, ["--reaction", "\(type)@6"])
                let span = effect!.start..<effect!.end
                return Self.bits(drawn, span) / max(Self.bits(plain[index], span), 1)
            }
            let recorded = zip(clips, ratios).filter(\.0.isRecorded).map(\.1)
            let used = recorded.isEmpty ? ratios : recorded
            let mean = exp(used.map { log($0) }.reduce(0, +) / Double(used.count))
            table.rows.append(
                [.text(type)] + ratios.map { .number($0, places: 2) }
                    + [.number(mean, places: 2), .number(try described(type), places: 1)])
        }
        return table
    }

    private typealias Packets = [(time: Double, bits: Double)]

    private func packets(_ input: String, _ more: [String]) throws -> (packets: Packets, effect: EncoderRun.Effect?) {
        let output = media.file("complexity.mp4")
        defer { media.remove(output) }
        let run = try EncoderRun(
            events: Child.output(
                of: [options.program, "filter", input, output, "--crf", "23", "--events", "-"]
                    + EncoderBenchmark.common + more, in: media.scratch), output: output)
        let text = String(decoding: try Child.output(
            of: [
                try Child.locate("ffprobe"), "-v", "error", "-select_streams", "v", "-show_entries",
                "packet=pts_time,size", "-of", "csv=p=0", output,
            ], in: media.scratch), as: UTF8.self)
        let packets = text.split(separator: "\n").compactMap { line -> (time: Double, bits: Double)? in
            let fields = line.split(separator: ",").compactMap { Double($0) }
            return fields.count >= 2 ? (fields[0], fields[1] * 8) : nil
        }
        return (packets, run.effects.first)
    }

    private static func bits(_ packets: Packets, _ span: Range<Double>) -> Double {
        packets.reduce(0) { $0 + (span.contains($1.time) ? $1.bits : 0) }
    }

    /// What the effect's description says.
    private func described(_ type: String) throws -> Double {
        let file = options.repository + "/Assets/Reactions/\(type).json"
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file)))
        return (object as? [String: Any])?["complexity"] as? Double ?? 3
    }
}
