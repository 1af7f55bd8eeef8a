import Foundation

/// The encoding cost of each effect, for the `complexity` and the `addedBits` of its description.
struct ComplexityBenchmark {
    let options: Options
    let media: Media

    private struct Reaction: Decodable { var reactionType: String }

    /// The CRF whose frames have x264's quantiser 18, and one that is twelve quantisers higher.
    private static let fine = 12.0, coarse = 24.0

    func run() throws -> [Table] {
        let clips = try media.encoderClips()
        let types = try JSONDecoder().decode(
            [Reaction].self, from: Child.output(of: [options.program, "reactions", "--json"], in: media.scratch)
        ).map(\.reactionType)
        return [try factors(types, clips), try additions(types, clips)]
    }

    /// Returns the factor of each effect on the bits of the same frames without it.
    private func factors(_ types: [String], _ clips: [EncoderClip]) throws -> Table {
        var table = Table(
            name: "complexity",
            title: "Bits of an effect's frames over those of the same frames without it: "
                + "1280×720, x264 veryfast, CRF 23; the geometric mean of the recorded clips",
            columns: ["effect"] + clips.map(\.name) + ["mean", "described"])
        let plain = try clips.map { try packets($0.path, crf: 23).packets }
        for type in types {
            let ratios = try clips.indices.map { index in
                let (drawn, effect) = try packets(clips[index].path, crf: 23, effect: type)
                let span = effect!.start..<effect!.end
                return Self.bits(drawn, span) / max(Self.bits(plain[index], span), 1)
            }
            let recorded = zip(clips, ratios).filter(\.0.isRecorded).map(\.1)
            table.rows.append(
                [.text(type)] + ratios.map { .number($0, places: 2) }
                    + [
                        .number(mean(recorded.isEmpty ? ratios : recorded), places: 2),
                        .number(try described(type, "complexity"), places: 1),
                    ])
        }
        return table
    }

    /// Returns the bits that an effect adds to a frame, the part of its pieces, and the change of the quantiser that
    /// doubles them.
    private func additions(_ types: [String], _ clips: [EncoderClip]) throws -> Table {
        var table = Table(
            name: "added-bits",
            title: "Bits that an effect adds to a frame at quantiser 18: "
                + "1280×720, x264 veryfast, 30 frames a second; the median of the clips. Over a noisy clip it may be less than nothing",
            columns: ["effect"] + clips.map(\.name)
                + ["median", "described", "pieces", "described ", "quantisers to half"])
        let fine = try clips.map { try packets($0.path, crf: Self.fine).packets }
        let coarse = try clips.map { try packets($0.path, crf: Self.coarse).packets }
        for type in types {
            let all = try added(type, clips, to: fine, crf: Self.fine)
            let half = median(try added(type, clips, to: fine, crf: Self.fine, detail: 0.5))
            let few = median(try added(type, clips, to: coarse, crf: Self.coarse))
            table.rows.append(
                [.text(type)] + all.map { .number($0, places: 0) }
                    + [
                        .number(median(all), places: 0), .number(try described(type, "addedBits"), places: 0),
                        .number(2 * (median(all) - half), places: 0),
                        .number(try described(type, "piecesBits"), places: 0),
                        .number((Self.coarse - Self.fine) / log2(median(all) / few), places: 1),
                    ])
        }
        return table
    }

    /// The bits that an effect adds to a frame of each clip.
    private func added(
        _ type: String, _ clips: [EncoderClip], to plain: [Packets], crf: Double, detail: Double = 1
    ) throws -> [Double] {
        try clips.indices.map { index in
            let (drawn, effect) = try packets(clips[index].path, crf: crf, effect: type, detail: detail)
            let span = effect!.start..<effect!.end
            return (Self.bits(drawn, span) - Self.bits(plain[index], span)) / (span.upperBound - span.lowerBound) / 30
        }
    }

    /// The geometric mean.
    private func mean(_ values: [Double]) -> Double {
        exp(values.map { log($0) }.reduce(0, +) / Double(values.count))
    }

    private typealias Packets = [(time: Double, bits: Double)]

    private func packets(
        _ input: String, crf: Double, effect: String? = nil, detail: Double = 1
    ) throws -> (packets: Packets, effect: EncoderRun.Effect?) {
        let output = media.file("complexity.mp4")
        defer { media.remove(output) }
        let run = try EncoderRun(
            events: Child.output(
                of: [options.program, "filter", input, output, "--crf", "\(crf)", "--events", "-"]
                    + EncoderBenchmark.common
                    + (effect.map { ["--reaction", "\($0)@6", "--effect-detail", "\(detail)"] } ?? []),
                in: media.scratch), output: output)
        let text = String(
            decoding: try Child.output(
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

    /// Returns a value of the effect's description.
    private func described(_ type: String, _ key: String) throws -> Double {
        let file = options.repository + "/Assets/Reactions/\(type).json"
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file)))
        return (object as? [String: Any])?[key] as? Double ?? .nan
    }
}
