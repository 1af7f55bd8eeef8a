import Foundation
import MediaIO
import Testing
import TestSupport

/// The table of `docs/recordings.md`: each cell is checked by copying a recording into a file of that kind.
///
/// Update an outdated table with `FLOURISH_UPDATE_PAGES=1 Scripts/test --filter KeptTableTests`
@Suite("The table of properties kept by container")
struct KeptTableTests {
    private static let containers = ContainerFormat.allCases.filter { !$0.isUncompressed && !$0.extensions.isEmpty }.map
    {
        ($0.extensions[0], $0.displayName)
    }

    private enum Source: Sendable, CaseIterable { case mp4, phone, matroska }

    private struct Row: Sendable {
        var name: String
        var source: Source
        /// A part of the warning where the property is not kept.
        var warning: String
        var isKept: @Sendable (Output) -> Bool
    }

    private struct Output: Sendable {
        var streams: [JSONValue]
        var format: JSONValue
        var chapters: [JSONValue]

        func streams(_ kind: String) -> [JSONValue] { streams.filter { $0["codec_type"]?.string == kind } }

        func tag(_ name: String, of entry: JSONValue?) -> String? {
            let tags = entry?["tags"]
            return (tags?[name] ?? tags?[name.uppercased()])?.string
        }

        func tag(_ name: String) -> String? { tag(name, of: format) }

        func hasSideData(_ name: String) -> Bool {
            streams("video").first?["side_data_list"]?.array?.contains { $0["side_data_type"]?.string == name } == true
        }
    }

    private static let rows = [
        Row(name: "several sound tracks", source: .mp4, warning: "one audio stream") { $0.streams("audio").count == 2 },
        Row(name: "subtitles of MP4", source: .mp4, warning: "mov_text") { $0.streams("subtitle").count == 1 },
        Row(name: "subtitles of Matroska (SubRip)", source: .matroska, warning: "subrip") {
            $0.streams("subtitle").count == 1
        },
        Row(name: "cover art", source: .mp4, warning: "cover art") {
            $0.streams("video").contains { $0["disposition"]?["attached_pic"]?.integer == 1 }
        },
        Row(name: "attached files, such as fonts", source: .matroska, warning: "ttf") {
            $0.streams("attachment").count == 1
        },
        Row(name: "telemetry of GoPro cameras", source: .mp4, warning: "gpmd (GoPro telemetry)") {
            $0.streams("data").contains { $0["codec_tag_string"]?.string == "gpmd" }
        },
        Row(name: "time code", source: .mp4, warning: "time code") { output in
            output.streams.contains { output.tag("timecode", of: $0) == "01:02:03:04" }
        },
        Row(name: "chapters", source: .mp4, warning: "chapters") { output in
            output.chapters.map { output.tag("title", of: $0) } == ["Hello", "Talk"]
        },
        Row(name: "title, artist and comment", source: .mp4, warning: "artist") {
            $0.tag("title") == "Standup" && $0.tag("artist") == "Jane" && $0.tag("comment") == "Tuesday"
        },
        Row(name: "date of creation", source: .mp4, warning: "creation_time") {
            $0.tag("creation_time")?.hasPrefix("2026-01-02T03:04:05") == true
        },
        Row(name: "place", source: .mp4, warning: "location") { $0.tag("location")?.hasPrefix("+52.5") == true },
        Row(name: "maker, model and more tags of phones", source: .phone, warning: "com.apple.quicktime.make") {
            output in
            ["com.apple.quicktime.make", "com.apple.quicktime.creationdate", "com.android.version"].allSatisfy {
                output.tag($0) != nil
            }
        },
        Row(name: "names of tracks", source: .matroska, warning: "track names 'Microphone', 'Browser'") { output in
            output.streams("audio").map { output.tag("title", of: $0) ?? output.tag("handler_name", of: $0) }
                == ["Microphone", "Browser"]
        },
        Row(name: "languages", source: .mp4, warning: "language") { output in
            output.streams("audio").map { output.tag("language", of: $0) } == ["deu", "fra"]
        },
        Row(name: "the default track, and marks as a commentary", source: .mp4, warning: "disposition") {
            $0.streams("audio").map { $0["disposition"]?["default"]?.integer } == [0, 1]
                && $0.streams("audio").last?["disposition"]?["comment"]?.integer == 1
        },
        Row(name: "360° projection", source: .mp4, warning: "spherical") { $0.hasSideData("Spherical Mapping") },
        Row(name: "stereo 3D", source: .mp4, warning: "stereo 3D") { $0.hasSideData("Stereo 3D") },
        Row(name: "Dolby Vision, where frames are copied", source: .mp4, warning: "Dolby Vision") {
            $0.hasSideData("DOVI configuration record")
        },
        Row(name: "ICC profile", source: .mp4, warning: "ICC profile") { $0.hasSideData("ICC Profile") },
    ]

    private func output(_ file: URL) async throws -> Output {
        let all = try await FFmpegTool.ffprobe(["-show_streams", "-show_format", "-show_chapters"], of: file)
        return Output(
            streams: all["streams"]?.array ?? [], format: all["format"] ?? .null, chapters: all["chapters"]?.array ?? []
        )
    }

    @Test func theTableMatchesWrittenFiles() async throws {
        var cells: [[String]] = Self.rows.map { ["| \($0.name)"] }
        var rotation = "| rotation"
        try await withTemporaryFolder { folder in
            let inputs = try await makeInputs(in: folder)
            for (kind, _) in Self.containers {
                for source in Source.allCases {
                    let file = folder.appending(path: "\(source).\(kind)")
                    let input = try #require(inputs[kind == "webm"]?[source])
                    // The frames of MP4 are not copied into AVI.
                    let copy = try kind == "avi" ? RichRecording.encode(input, file) : RichRecording.remux(input, file)
                    let output = try await output(file)
                    for (index, row) in Self.rows.enumerated() where row.source == source {
                        let isKept = row.isKept(output)
                        cells[index].append(isKept ? "yes" : "–")
                        // Properties that FLV drops with the second sound track are not named again.
                        let isNamed = copy.warnings.contains(row.warning) || copy.warnings.contains("one audio stream")
                        #expect(
                            isNamed != isKept || kind == "flv" && isKept, "\(row.name) in \(kind): \(copy.warnings)")
                    }
                    if source == .phone { rotation += " | " + (try rotationCell(input, kind, output)) }
                }
            }
        }
        let header = "| | " + Self.containers.map(\.1).joined(separator: " | ") + " |"
        let rule = "|" + String(repeating: " --- |", count: Self.containers.count + 1)
        let edits = try await editListRow()
        try check([header, rule] + cells.map { $0.joined(separator: " | ") + " |" } + [rotation + " |", edits])
    }

    /// Half of the sound is cut out of the middle. Pictures are tested with smart rendering.
    private func editListRow() async throws -> String {
        var row = "| what an edit list hides |"
        try await withTemporaryFolder { folder in
            for (kind, _) in Self.containers {
                let isWeb = kind == "webm", coding = isWeb ? RichRecording.Coding.web : .usual
                let whole = folder.appending(path: "whole.mp4"), input = folder.appending(path: "edited.mp4")
                try await FFmpegTool.make(
                    ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=4", "-f", "lavfi", "-i", "sine=d=4:r=48000"]
                        + ["-c:v"] + coding.video + ["-c:a"] + coding.audio + ["-g", "5"], as: whole)
                try Data(EditedMovie(Array(Data(contentsOf: whole)), [0...1, 3...4]).bytes).write(to: input)
                let file = folder.appending(path: "out.\(kind)")
                _ = try transcode(input.path, file.path, settings: Self.coding(kind))
                let packets = try await FFmpegTool.ffprobe(["-select_streams", "a", "-show_packets"], of: file)
                let times = (packets["packets"]?.array ?? []).compactMap {
                    ($0["pts_time"] ?? $0["dts_time"])?.string.flatMap(Double.init)
                }
                let all = 48_000 * 4 / (isWeb ? 960 : 1024)
                let length = (times.last ?? 0) - (times.first ?? 0)
                #expect((all * 2 / 5...all * 3 / 5).contains(times.count) && abs(length - 2) < 0.1, "\(kind)")
                row += " stays hidden |"
            }
        }
        return row
    }

    private static func coding(_ kind: String) -> VideoEncoderSettings {
        VideoEncoderSettings(
            codec: kind == "webm" ? .vp9 : .h264, preset: kind == "webm" ? nil : "ultrafast", threads: 1)
    }

    /// Frames are turned upright, and encoded for that, where the container cannot store a rotation.
    private func rotationCell(_ input: URL, _ kind: String, _ output: Output) throws -> String {
        if output.hasSideData("Display Matrix") { return "yes" }
        let container = try #require(ContainerFormat(path: "out.\(kind)"))
        let incompatibility = Muxer.incompatibility(copyingVideoOf: try Demuxer(path: input.path), into: container)
        #expect(incompatibility?.contains("does not support rotation metadata") == true)
        return "turned upright"
    }

    private func makeInputs(in folder: URL) async throws -> [Bool: [Source: URL]] {
        var inputs: [Bool: [Source: URL]] = [:]
        for isWeb in [false, true] {
            let coding = isWeb ? RichRecording.Coding.web : .usual
            let name = isWeb ? "web" : "usual"
            let files: [Source: URL] = [
                .mp4: folder.appending(path: "\(name).mp4"), .phone: folder.appending(path: "\(name)-phone.mp4"),
                .matroska: folder.appending(path: "\(name).mkv"),
            ]
            try await RichRecording.makeMP4(files[.mp4]!, in: folder, coding)
            try await RichRecording.makePhoneMovie(files[.phone]!, in: folder, coding)
            try await RichRecording.makeMatroska(files[.matroska]!, in: folder, coding)
            inputs[isWeb] = files
        }
        return inputs
    }

    /// Compares the table of the page, or writes it there. The page shows what FFmpeg 5.1 keeps; later releases keep more.
    private func check(_ lines: [String]) throws {
        guard MediaLibraries.release.hasPrefix("5.1") else { return }
        let page = "docs/recordings.md", start = "<!-- kept: made by KeptTableTests -->\n"
        #expect(
            try GeneratedSection.isCurrent(lines, between: start, and: "<!-- end of kept -->", of: page),
            "\(page) is stale; FLOURISH_UPDATE_PAGES=1 with this test updates it")
    }
}
