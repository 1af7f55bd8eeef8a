import Foundation
import Testing
import TestSupport

/// Recordings whose hidden frames come in packets of their own: muxers join VP9's with the next shown frame.
@Suite("Smart rendering of hidden frames in separate packets")
struct SmartHiddenFramesTests {
    /// All of them make alternate reference frames, which are hidden.
    private static let codings: [String: [String]] = [
        "vp9": [
            "-c:v", "libvpx-vp9", "-deadline", "good", "-cpu-used", "5", "-auto-alt-ref", "1", "-lag-in-frames", "16",
            "-g", "25", "-b:v", "100k", "-threads", "1", "-passlogfile", "statistics",
        ],
        "av1": [
            "-c:v", "libaom-av1", "-usage", "good", "-cpu-used", "8", "-lag-in-frames", "19", "-g", "25",
            "-b:v", "100k", "-threads", "1",
        ],
    ]

    private func makeInput(_ bench: Workbench, _ codec: String) async throws {
        let coding = try #require(Self.codings[codec])
        // libvpx makes hidden frames in the second of two passes.
        for pass in codec == "vp9" ? [["-pass", "1"], ["-pass", "2"]] : [[]] {
            try await bench.makeClip("joined.ivf", size: "160x120", seconds: 3, sound: false, coding + pass)
        }
        let joined = IVFFile(try bench.bytes("joined.ivf"))
        let split = codec == "vp9" ? IVFFile.vp9Frames : IVFFile.av1Frames
        try bench.write(joined.splitting(split), as: "in.ivf")
        let packets = IVFFile(try bench.bytes("in.ivf")).packets.count
        try #require(joined.packets.count == 75 && packets > 76, "\(packets) packets")
    }

    @Test(arguments: ["vp9", "av1"], ["out.webm", "out.mkv", "out.mp4"])
    func hiddenFramesAreCopied(_ codec: String, _ output: String) async throws {
        try await Workbench.with { bench in
            try await makeInput(bench, codec)
            let events = try await bench.smart("in.ivf", output)
            #expect(events.all.first?["wholeReason"] == nil)
            let video = try await SplicedVideo(bench, "joined.ivf", output, events)
            #expect(video.framesCopied == 75 && video.framesEncoded == 0)
            #expect(try await bench.checksums("joined.ivf") == bench.checksums(output))
        }
    }

    @Test(arguments: ["vp9", "av1"])
    func hiddenFramesStayOutsideOfSpans(_ codec: String) async throws {
        try await Workbench.with { bench in
            try await makeInput(bench, codec)
            try await bench.shortPlan("in.ivf", "plan.json", [("heart", 1.2, 0.3)])
            let events = try await bench.smart("in.ivf", "out.webm", ["--plan", "plan.json"])
            #expect(events.all.first?["wholeReason"] == nil)
            let video = try await SplicedVideo(bench, "joined.ivf", "out.webm", events)
            #expect(video.spans.count == 1 && video.framesCopied ?? 0 > 20)
            try await video.expectUntouchedOutsideOfSpans()
            try await video.expectSeamsCanBeSought()
        }
    }
}
