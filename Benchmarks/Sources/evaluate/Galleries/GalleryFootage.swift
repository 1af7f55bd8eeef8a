import Foundation

/// The clips of the footage folder that composites are made of.
struct GalleryFootage: Sendable {
    /// A video, as it is shown: upright, with square pixels.
    struct Clip: Sendable {
        /// Relative to the footage folder.
        var path: String
        var width: Int
        var height: Int
        /// Zero where the container does not say.
        var seconds: Double

        var aspect: Double { Double(width) / Double(height) }
        /// The first part of the name, which is the same for clips of one source.
        var source: String {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            guard name.hasPrefix("f2_") || name.hasPrefix("f3_"), let end = name.range(of: "__") else { return name }
            return String(name[..<end.lowerBound])
        }
    }

    /// A clip in which a gesture is held.
    struct GestureClip: Sendable {
        var clip: Clip
        var label: String
        var holdFrom: Double
        var holdUntil: Double
        /// The part that shows no other held gesture.
        var from: Double
        var until: Double
    }

    /// The file with the gestures, and the clips that are no pictures of one person: `Benchmarks/Labels/galleries.json`.
    struct Labels: Decodable, Sendable {
        struct Video: Decodable, Sendable {
            struct Hold: Decodable, Sendable {
                var gesture: String
                var from: Double
                var until: Double
            }
            var path: String
            var holds: [Hold]
        }
        var gestures: [Video]
        /// Videos that are composites themselves.
        var composites: [String]
        /// Videos that show no person, or several scenes.
        var unsuitable: [String]

        init(contentsOf file: URL) throws {
            do {
                self = try JSONDecoder().decode(Labels.self, from: Data(contentsOf: file))
            } catch {
                throw EvaluationError("\(file.path) holds no labels of galleries: \(error)")
            }
        }
    }

    let folder: URL
    let people: [Clip]
    let gestures: [GestureClip]

    init(folder: URL, labels file: URL, scratch: URL, jobs: Int) throws {
        let labels = try Labels(contentsOf: file)
        let left = Set(labels.composites + labels.unsuitable)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: "videos/negative").path
        ).sorted().map { "videos/negative/\($0)" }.filter { !left.contains($0) }
        let probe = Program(path: "ffprobe", scratch: scratch)
        self.folder = folder
        people = try inParallel(names, jobs: jobs) { try Self.clip($0, in: folder, probe: probe) }
        let present = labels.gestures.filter {
            FileManager.default.fileExists(atPath: folder.appending(path: $0.path).path)
        }
        gestures = try inParallel(present, jobs: jobs) { video in
            let clip = try Self.clip(video.path, in: folder, probe: probe)
            return video.holds.enumerated().map { index, hold in
                let from = index == 0 ? 0 : video.holds[index - 1].until + 0.1
                let next = index + 1 < video.holds.count ? video.holds[index + 1].from - 0.2 : clip.seconds
                let until = min(hold.until, hold.from + 3.5)
                return GestureClip(
                    clip: clip, label: hold.gesture, holdFrom: hold.from, holdUntil: until,
                    from: max(from, hold.from - 3), until: max(until, min(next, until + 0.5)))
            }
        }.flatMap(\.self)
    }

    private struct Probe: Decodable {
        struct Stream: Decodable {
            struct Side: Decodable { var rotation: Double? }
            var width: Int
            var height: Int
            var sample_aspect_ratio: String?
            var side_data_list: [Side]?
        }
        struct Format: Decodable { var duration: String? }
        var streams: [Stream]
        var format: Format
    }

    private static func clip(_ path: String, in folder: URL, probe: Program) throws -> Clip {
        let data = try probe.output([
            "-v", "quiet", "-of", "json", "-select_streams", "v:0", "-show_entries",
            "stream=width,height,sample_aspect_ratio:stream_side_data=rotation:format=duration",
            folder.appending(path: path).path,
        ])
        let result = try JSONDecoder().decode(Probe.self, from: data)
        guard let stream = result.streams.first else { throw EvaluationError("\(path) has no video") }
        var width = stream.width
        var height = stream.height
        let ratio = (stream.sample_aspect_ratio ?? "").split(separator: ":").compactMap { Double($0) }
        if ratio.count == 2, ratio[0] > 0, ratio[1] > 0 {
            width = Int((Double(width) * ratio[0] / ratio[1]).rounded())
        }
        let turn = stream.side_data_list?.compactMap(\.rotation).first ?? 0
        if abs(abs(turn) - 90) < 1 { swap(&width, &height) }
        return Clip(
            path: path, width: width, height: height, seconds: result.format.duration.flatMap(Double.init) ?? 0)
    }
}

/// Deals clips so that sources differ within a composite as long as there are any left.
struct ClipDealer: Sendable {
    private let bySource: [[GalleryFootage.Clip]]
    private var deck: [[GalleryFootage.Clip]] = []

    init(_ clips: [GalleryFootage.Clip]) {
        let groups = Dictionary(grouping: clips, by: \.source)
        bySource = groups.keys.sorted().map { groups[$0]! }
    }

    mutating func deal(_ random: inout GalleryRandom) -> GalleryFootage.Clip {
        // Each source is in the deck once for three of its clips: large ones come more often.
        if deck.isEmpty {
            deck = random.shuffled(
                bySource.flatMap { group in
                    let clips = random.shuffled(group)
                    return clips.prefix(max(1, min(5, clips.count / 3))).map { [$0] }
                })
        }
        return deck.removeLast()[0]
    }
}
