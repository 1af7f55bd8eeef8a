package import Foundation

/// Time stamp, size and checksum of every decoded frame of a file: a golden file with a readable diff, and a
/// comparison of the pictures of two videos.
///
/// The text comes from FFmpeg's `framemd5` muxer (https://ffmpeg.org/ffmpeg-formats.html#framemd5).
package struct FrameChecksums: Sendable {
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
    /// The decoder's warnings and errors.
    package let messages: [String]
    /// The checksums of all frames.
    package var all: [String] { frames.map(\.checksum) }

    /// Decodes one stream of `file`. Time stamps are kept as they are; no frame is
    /// dropped or doubled.
    ///
    /// - Parameters:
    ///   - stream: FFmpeg's stream specifier.
    ///   - decoder: FFmpeg's name of the decoder; nil for the default one.
    /// - Throws: ``ProgramError`` if FFmpeg cannot decode it.
    package init(of file: URL, stream: String = "v:0", decoder: String? = nil) async throws {
        let decoding = decoder.map { ["-c:\(stream)", $0] } ?? []
        let result = try await FFmpegTool.ffmpeg(
            decoding + ["-i", file.path, "-map", "0:\(stream)"] + Self.output, messages: "warning")
        frames = result.outputLines.compactMap(Self.frame)
        messages = result.errorLines
    }

    /// Returns the frames that a player finds where it seeks to times, in seconds on the file's clock; a time without a
    /// frame has none. Their sequence is arbitrary.
    package static func frames(
        of file: URL, soughtAt times: [Double], decoder: String? = nil
    ) async throws -> [Frame] {
        let decoding = decoder.map { ["-c:v:0", $0] } ?? []
        let inputs = times.flatMap {
            decoding + ["-seek_timestamp", "1", "-ss", String(format: "%.9f", $0), "-i", file.path]
        }
        let outputs = times.indices.flatMap { ["-map", "\($0):v:0", "-frames:v", "1"] + output }
        return try await FFmpegTool.ffmpeg(inputs + outputs).outputLines.compactMap(frame)
    }

    /// Pictures keep their own sizes where these change.
    private static let output = ["-fps_mode", "passthrough", "-copyts", "-autoscale", "0", "-f", "framemd5", "-"]

    /// A line is `stream, dts, pts, duration, size, checksum`; those with `#` are a header.
    private static func frame(in line: String) -> Frame? {
        let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard !line.hasPrefix("#"), fields.count >= 6,
            let pts = Int(fields[2]), let size = Int(fields[4])
        else { return nil }
        return Frame(pts: pts, size: size, checksum: fields[5])
    }
}
