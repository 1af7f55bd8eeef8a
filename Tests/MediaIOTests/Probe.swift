import Foundation
import TestSupport

/// The complete output of `ffprobe` for a file, read once.
struct Probe: Sendable {
    struct Packet: Sendable, Hashable {
        var stream: Int
        /// As printed; nil if there is none.
        var time: String?
        var checksum: String
        var isKey: Bool
    }

    let streams: [JSONValue]
    let chapters: [JSONValue]
    let tags: JSONValue?
    let packets: [Packet]
    /// The times of the decoded pictures of the first video stream, as FFmpeg interprets them.
    let frameTimes: [Double]

    init(_ file: URL) async throws {
        let all = try await FFmpegTool.ffprobe(
            [
                "-show_streams", "-show_chapters", "-show_format", "-show_packets", "-show_frames",
                "-show_data_hash", "md5",
            ], of: file)
        streams = all["streams"]?.array ?? []
        chapters = all["chapters"]?.array ?? []
        tags = all["format"]?["tags"]
        let entries = all["packets_and_frames"]?.array ?? []
        let video = streams.first { $0["codec_type"]?.string == "video" }?["index"]?.integer
        packets = entries.filter { $0["type"]?.string == "packet" }.map {
            Packet(
                stream: $0["stream_index"]?.integer ?? -1, time: $0["pts_time"]?.string,
                checksum: $0["data_hash"]?.string ?? "", isKey: $0["flags"]?.string?.hasPrefix("K") == true)
        }
        frameTimes = entries.filter { $0["type"]?.string == "frame" && $0["stream_index"]?.integer == video }
            .compactMap { $0["best_effort_timestamp_time"]?.string.flatMap(Double.init) }
    }

    /// The first video stream.
    var video: JSONValue { stream("video") ?? .null }

    func stream(_ kind: String) -> JSONValue? { streams.first { $0["codec_type"]?.string == kind } }

    /// The presentation times of the packets of the first stream of a kind.
    func times(_ kind: String) -> [Double] {
        let index = stream(kind)?["index"]?.integer
        return packets.filter { $0.stream == index }.compactMap { $0.time.flatMap(Double.init) }
    }

    /// The checksums of the packets of all streams of a kind.
    func checksums(_ kind: String) -> [[String]] {
        streams.filter { $0["codec_type"]?.string == kind }.map { stream in
            packets.filter { $0.stream == stream["index"]?.integer }.map(\.checksum)
        }
    }
}
