package import Foundation

/// Time stamp, size and checksum of every decoded frame of a file: a golden file with a readable diff, and a
/// comparison of the pictures of two videos.
///
/// The text comes from FFmpeg's `framemd5` muxer (https://ffmpeg.org/ffmpeg-formats.html#framemd5).
package struct FrameChecksums: Sendable, Equatable, CustomStringConvertible {
    /// One decoded frame.
    package struct Frame: Sendable, Equatable, CustomStringConvertible {
        /// The presentation time in units of the stream's time base.
        package let pts: Int
        /// The number of bytes of the picture.
        package let size: Int
        /// The MD5 of the picture's bytes.
        package let checksum: String

        package var description: String { "\(pts) \(size) \(checksum)" }
    }

    /// The frames in the order in which they are shown.
    package let frames: [Frame]

    /// Decodes one stream of `file`. Time stamps are kept as they are; no frame is
    /// dropped or doubled.
    ///
    /// - Parameters:
    ///   - stream: FFmpeg's stream specifier.
    ///   - start: where to go first, in seconds on the file's clock; only the frame found there is decoded. Nil for all.
    /// - Throws: ``ProgramError`` if FFmpeg cannot decode it.
    package init(of file: URL, stream: String = "v:0", from start: Double? = nil) async throws {
        let seek = start.map { ["-seek_timestamp", "1", "-ss", String(format: "%.9f", $0)] } ?? []
        let end = start == nil ? [] : ["-frames:v", "1"]
        let text = try await FFmpegTool.ffmpeg(
            seek + [
                "-i", file.path, "-map", "0:\(stream)", "-fps_mode", "passthrough",
                "-copyts",
            ] + end + ["-f", "framemd5", "-"])
        frames = text.outputLines.compactMap(Self.frame)
    }

    /// A line is `stream, dts, pts, duration, size, checksum`; those with `#` are a header.
    private static func frame(in line: String) -> Frame? {
        let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard !line.hasPrefix("#"), fields.count >= 6,
            let pts = Int(fields[2]), let size = Int(fields[4])
        else { return nil }
        return Frame(pts: pts, size: size, checksum: fields[5])
    }

    package var description: String { frames.map(\.description).joined(separator: "\n") }
}
