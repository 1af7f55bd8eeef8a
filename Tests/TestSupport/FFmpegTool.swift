package import Foundation

/// FFmpeg's command-line tools: they make the tests' input and judge the program's output.
package enum FFmpegTool {
    /// Runs `ffmpeg`, quiet, overwriting, with two threads at most, and demands success.
    ///
    /// - Parameters:
    ///   - arguments: inputs, options and outputs, as after `ffmpeg`.
    ///   - folder: the working directory.
    ///   - messages: FFmpeg's level of messages.
    /// - Throws: ``ProgramError``.
    @discardableResult
    package static func ffmpeg(
        _ arguments: [String], in folder: URL? = nil, messages: String = "error", timeout: Duration = Hang.programLimit
    ) async throws -> ProgramResult {
        let common = [
            "-hide_banner", "-nostdin", "-y", "-v", messages, "-threads", "2", "-filter_threads", "1",
        ]
        return try await Program.onPath("ffmpeg").succeed(common + arguments, in: folder, timeout: timeout)
    }

    /// Makes a file from generated pictures and sound, once in a run of the tests.
    ///
    /// - Parameter recipe: the arguments without the output.
    package static func make(_ recipe: [String], as file: URL) async throws {
        try await MadeFiles.shared.copy(recipe, to: file) { try await ffmpeg(recipe + [$0.path]) }
    }

    /// Returns the filter that marks pictures as BT.2020 with a transfer, in FFmpeg's name.
    ///
    /// FFmpeg 7 replaces the encoder's options, such as `-color_trc`, by the properties of the filtered pictures.
    package static func wideColours(_ transfer: String) -> String {
        "setparams=range=tv:color_primaries=bt2020:color_trc=\(transfer):colorspace=bt2020nc"
    }

    /// Returns the arguments that copy a video and state in the header that it is to be rotated. FFmpeg 5 has a tag for
    /// it, later releases an option.
    ///
    /// - Parameter degrees: The rotation, counter-clockwise.
    /// - Throws: ``ProgramError``.
    package static func rotating(_ input: String, by degrees: Int, to output: String) async throws -> [String] {
        let copy = ["-i", input, "-c", "copy"]
        return try await hasRotation.value
            ? ["-display_rotation:v:0", "\(degrees)"] + copy + [output]
            : copy + ["-metadata:s:v:0", "rotate=\(degrees)", output]
    }

    private static let hasRotation = Task {
        try await Program.onPath("ffmpeg").succeed(["-hide_banner", "-h", "long"]).standardOutput
            .contains("-display_rotation")
    }

    /// Runs `ffprobe` and returns its JSON.
    ///
    /// - Parameter arguments: what to show, such as `-show_streams`.
    /// - Throws: ``ProgramError``, or the decoder's error.
    package static func ffprobe(_ arguments: [String], of file: URL) async throws -> JSONValue {
        let result = try await Program.onPath("ffprobe").succeed(
            ["-v", "error", "-of", "json"] + arguments + [file.path])
        return try JSONValue(parsing: result.standardOutput)
    }

    /// The streams of a file, with all fields of `ffprobe -show_streams`.
    package static func streams(of file: URL) async throws -> [JSONValue] {
        try await ffprobe(["-show_streams"], of: file)["streams"]?.array ?? []
    }

    /// The container of a file: its tags, duration and such (`ffprobe -show_format`).
    package static func format(of file: URL) async throws -> JSONValue {
        try await ffprobe(["-show_format"], of: file)["format"] ?? .null
    }

    /// The chapters of a file.
    package static func chapters(of file: URL) async throws -> [JSONValue] {
        try await ffprobe(["-show_chapters"], of: file)["chapters"]?.array ?? []
    }

    /// The presentation times, in seconds, of the frames of one stream, in presentation order.
    ///
    /// - Parameter stream: FFmpeg's stream specifier.
    package static func frameTimes(of file: URL, stream: String = "v:0") async throws -> [Double] {
        let frames = try await ffprobe(
            ["-select_streams", stream, "-show_entries", "frame=pts_time"], of: file)
        return (frames["frames"]?.array ?? []).compactMap { frame in
            frame["pts_time"]?.string.flatMap(Double.init)
        }
    }
}
