import Foundation
import Testing
import TestSupport

/// Media that an edit list hides is absent from the output, and the rest stays in sync.
@Suite("Edit lists")
struct EditListTests {
    /// Makes ten seconds of which 3…6 are loud; the shown part is silent except for a tone from 8 s on.
    private func makeRecording(_ bench: Workbench, group: Int = 20) async throws {
        let recipe = [
            "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=20:duration=10", "-f", "lavfi", "-i",
            "aevalsrc='if(between(t,3,6),0.8,if(gte(t,8),0.1,0))*sin(2000*t)':s=48000:d=10", "-c:v", "libx264", "-bf",
            "2", "-x264-params", "keyint=\(group):scenecut=0", "-c:a", "aac",
        ]
        try await FFmpegTool.make(recipe, as: bench.file("whole.mp4"))
    }

    /// The loud intervals of the output, in seconds: pairs of start and end.
    private func loudParts(_ bench: Workbench, _ name: String, above level: Double) async throws -> [ClosedRange<
        Double
    >] {
        let samples = try await bench.samples(name, rate: 8000)
        let window = 400
        let loud = stride(from: 0, to: samples.count - window, by: window).filter { start in
            samples[start..<start + window].contains { Double($0.magnitude) > level * 32768 }
        }
        var parts: [ClosedRange<Double>] = []
        for start in loud {
            let (begin, end) = (Double(start) / 8000, Double(start + window) / 8000)
            if let last = parts.last, begin - last.upperBound < 0.1 {
                parts[parts.count - 1] = last.lowerBound...end
            } else {
                parts.append(begin...end)
            }
        }
        return parts
    }

    @Test(arguments: ["out.mp4", "out.mov", "out.mkv", "out.ts"])
    func aRemovedMiddlePartStaysHidden(_ output: String) async throws {
        try await Workbench.with { bench in
            try await makeRecording(bench)
            try bench.edit("whole.mp4", as: "in.mp4", keeping: [0...2.5, 6.5...10])
            let events = try await bench.smart("in.mp4", output)
            #expect(events.all.first?["wholeReason"] == nil)
            let video = try await SplicedVideo(bench, "in.mp4", output, events)
            #expect(try #require(video.framesEncoded) < 25, "only what follows the cut up to the next key frame")
            let shown = try await FFmpegTool.frameTimes(of: bench.file("in.mp4"))
            try await video.expectShownFramesAreTheSources(times: shown)
            #expect(try await loudParts(bench, output, above: 0.3).isEmpty, "the hidden sound is silent")
            let tone = try #require(try await loudParts(bench, output, above: 0.05).first)
            #expect(abs(tone.lowerBound - 4) < 0.11, "what follows the cut stays in step")
        }
    }

    /// The whole is encoded, too.
    @Test func aRemovedMiddlePartStaysHiddenWhenAllIsEncoded() async throws {
        try await Workbench.with { bench in
            try await makeRecording(bench)
            try bench.edit("whole.mp4", as: "in.mp4", keeping: [0...2.5, 6.5...10])
            _ = try await bench.smart("in.mp4", "out.mkv", ["--smart-render", "never"])
            #expect(try await loudParts(bench, "out.mkv", above: 0.3).isEmpty)
            let tone = try #require(try await loudParts(bench, "out.mkv", above: 0.05).first)
            #expect(abs(tone.lowerBound - 4) < 0.11)
        }
    }

    /// Trimmed on a phone: the edit ends within a group of pictures, before its media.
    @Test(arguments: ["out.mp4", "out.mov", "out.mkv", "out.ts"], [5.2, 5.25])
    func recordingsTrimmedAtTheEndAreCopied(_ output: String, _ end: Double) async throws {
        try await Workbench.with { bench in
            try await makeRecording(bench, group: 200)
            try bench.edit("whole.mp4", as: "in.mp4", keeping: [0...end])
            let shown = try await FFmpegTool.frameTimes(of: bench.file("in.mp4"))
            let events = try await bench.smart("in.mp4", output)
            #expect(events.all.first?["wholeReason"] == nil)
            let video = try await SplicedVideo(bench, "in.mp4", output, events)
            let encoded = try #require(video.framesEncoded)
            // Other containers would show the hidden pictures that the last ones refer to.
            if output.hasSuffix(".mp4") || output.hasSuffix(".mov") {
                #expect(encoded == 0)
            } else {
                #expect(encoded < 4)
            }
            try await video.expectShownFramesAreTheSources(times: shown)
        }
    }

    /// A cut without encoding begins with a key frame, and an edit list hides the pictures before the cut.
    @Test(arguments: ["out.mp4", "out.mov", "out.mkv", "out.ts"])
    func picturesBeforeTheBeginningStayHidden(_ output: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("whole.mp4", seconds: 4, Coding.h264 + ["-g", "50", "-bf", "2"])
            try await bench.ffmpeg(["-ss", "0.9", "-i", "whole.mp4", "-c", "copy", "in.mp4"])
            let shown = try await FFmpegTool.frameTimes(of: bench.file("in.mp4"))
            let events = try await bench.smart("in.mp4", output)
            #expect(events.all.first?["wholeReason"] == nil)
            #expect(events.ended["framesOut"]?.integer == shown.count)
            let video = try await SplicedVideo(bench, "in.mp4", output, events)
            let encoded = try #require(video.framesEncoded)
            if output.hasSuffix(".mp4") || output.hasSuffix(".mov") {
                #expect(encoded == 0)
            } else {
                #expect(encoded < 50)
            }
            try await video.expectShownFramesAreTheSources(times: shown)
        }
    }

    /// Sound from before the beginning is dropped if no edit list can hide it.
    @Test(arguments: ["out.mp4", "out.mkv", "out.ts"])
    func soundBeforeTheBeginningStaysSilent(_ output: String) async throws {
        try await Workbench.with { bench in
            try await makeRecording(bench)
            // The loud part ends 50 ms before.
            try bench.edit("whole.mp4", as: "in.mp4", keeping: [6.05...10])
            _ = try await bench.smart("in.mp4", output)
            #expect(try await loudParts(bench, output, above: 0.3).isEmpty)
            let tone = try #require(try await loudParts(bench, output, above: 0.05).first)
            #expect(abs(tone.lowerBound - 1.95) < 0.11)
        }
    }

    /// A reaction behind the cut is drawn at its time on the edited clock.
    @Test func effectsFollowTheEditedTimes() async throws {
        try await Workbench.with { bench in
            try await makeRecording(bench)
            try bench.edit("whole.mp4", as: "in.mp4", keeping: [0...2.5, 6.5...10])
            try await bench.shortPlan("in.mp4", "plan.json", [("heart", 4.2, 0.2)])
            let events = try await bench.smart("in.mp4", "out.mp4", ["--plan", "plan.json"])
            let video = try await SplicedVideo(bench, "in.mp4", "out.mp4", events)
            #expect(video.isEncoded(4.25) && !video.isEncoded(1))
            try await video.expectShownFramesAreTheSources(times: FFmpegTool.frameTimes(of: bench.file("in.mp4")))
        }
    }
}

extension SplicedVideo {
    /// Expects the result to show exactly the source's frames, at its times from the first one on, unchanged outside
    /// of spans.
    fileprivate func expectShownFramesAreTheSources(
        times: [Double], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = result.frameTimes
        #expect(found.count == times.count, sourceLocation: sourceLocation)
        let (first, begin) = (times.first ?? 0, found.first ?? 0)
        let late = zip(found, times).filter { abs($0 - begin - ($1 - first)) > 0.0011 }
        #expect(late.isEmpty, "times", sourceLocation: sourceLocation)
        let (before, after) = (frames.source.all, frames.result.all)
        let changed = zip(before, after).enumerated().filter { index, pair in
            pair.0 != pair.1 && !isEncoded(times[index])
        }
        #expect(changed.isEmpty && before.count == after.count, "pictures", sourceLocation: sourceLocation)
    }
}

extension Workbench {
    /// The sound of a file as 16-bit samples of one channel.
    fileprivate func samples(_ name: String, rate: Int) async throws -> [Int16] {
        try await ffmpeg([
            "-i", name, "-map", "0:a:0", "-ac", "1", "-ar", "\(rate)", "-f", "s16le", "-y", "\(name).raw",
        ])
        let data = try bytes("\(name).raw")
        return stride(from: 0, to: data.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(data[data.startIndex + $0]) | UInt16(data[data.startIndex + $0 + 1]) << 8)
        }
    }

    /// Copies an MP4 file and gives every track other edits, in seconds of its media.
    fileprivate func edit(_ name: String, as copy: String, keeping parts: [ClosedRange<Double>]) throws {
        _ = try write(Data(EditedMovie(Array(bytes(name)), parts).bytes), as: copy)
    }
}
