import Foundation
import TestSupport

/// The complete output of `ffprobe` for a file, read once.
struct MediaReport: Sendable {
    let streams: [JSONValue]
    let chapters: [JSONValue]
    let format: JSONValue
    /// The packets of each stream, in the order of the file.
    let packets: [Int: [JSONValue]]
    /// The presentation times of the pictures of the first video stream, in seconds, sorted.
    let frameTimes: [Double]

    init(_ file: URL) async throws {
        let all = try await FFmpegTool.ffprobe(
            [
                "-show_streams", "-show_chapters", "-show_format", "-show_packets", "-show_data_hash", "md5",
                "-show_frames", "-show_entries",
                "frame=media_type,stream_index,best_effort_timestamp_time:packet=stream_index,pts_time,data_hash,size",
            ], of: file)
        streams = all["streams"]?.array ?? []
        chapters = all["chapters"]?.array ?? []
        format = all["format"] ?? .null
        let entries = all["packets_and_frames"]?.array ?? []
        packets = Dictionary(grouping: entries.filter { $0["type"]?.string == "packet" }) {
            $0["stream_index"]?.integer ?? -1
        }
        let video = streams.first { $0["codec_type"]?.string == "video" }?["index"]?.integer
        frameTimes =
            entries
            .filter { $0["type"]?.string == "frame" && $0["stream_index"]?.integer == video }
            .compactMap { $0["best_effort_timestamp_time"]?.string.flatMap(Double.init) }
    }

    /// The first video stream.
    var video: JSONValue { streams(of: "video").first ?? .null }

    /// The streams of a kind: `video`, `audio`, `subtitle`, `data`, `attachment`.
    func streams(of kind: String) -> [JSONValue] { streams.filter { $0["codec_type"]?.string == kind } }

    /// The digests of the packets of each stream of a kind.
    func digests(of kind: String) -> [[String]] {
        streams(of: kind).map { stream in
            (packets[stream["index"]?.integer ?? -1] ?? []).map { $0["data_hash"]?.string ?? "" }
        }
    }

    /// The presentation times of the packets of each stream of a kind.
    func times(of kind: String) -> [[Double]] {
        streams(of: kind).map { stream in
            (packets[stream["index"]?.integer ?? -1] ?? [])
                .compactMap { $0["pts_time"]?.string.flatMap(Double.init) }
        }
    }

    /// The displayed size, with rotation and aspect ratio applied.
    var videoSize: (width: Int?, height: Int?) { (video["width"]?.integer, video["height"]?.integer) }
}

/// Returns whether two lists of times, in seconds, agree: containers round to a millisecond.
func isSameTimes(_ a: [Double], _ b: [Double]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) < 0.0011 }
}
