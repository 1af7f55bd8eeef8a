import Foundation
import Testing
import TestSupport

/// A recording and its smart rendering.
struct SplicedVideo {
    let source: MediaReport
    let result: MediaReport
    private let bench: Workbench
    private let names: (source: String, result: String)
    /// FFmpeg's name of the decoder; nil for the default one.
    private let decoder: String?
    /// The part of the source that the result covers, in seconds from its first picture; nil for all of it.
    private let part: ClosedRange<Double>?
    /// The run's summary; nil if the whole was encoded.
    let summary: JSONValue?
    /// All frames of the source and of the result.
    let frames: (source: FrameChecksums, result: FrameChecksums)

    init(
        _ bench: Workbench, _ source: String, _ result: String, _ events: EventLines, part: ClosedRange<Double>? = nil,
        decoder: String? = nil
    ) async throws {
        self.bench = bench
        self.decoder = decoder
        self.part = part
        names = (source, result)
        self.source = try await bench.report(source)
        self.result = try await bench.report(result)
        frames = (
            try await FrameChecksums(of: bench.file(source), decoder: decoder),
            try await FrameChecksums(of: bench.file(result), decoder: decoder)
        )
        summary = events.ended["smartRender"]
    }

    var framesCopied: Int? { summary?["framesCopied"]?.integer }
    var framesEncoded: Int? { summary?["framesEncoded"]?.integer }

    /// The encoded spans, in seconds.
    var spans: [(start: Double, end: Double)] {
        (summary?["spans"]?.array ?? []).map { ($0["startTime"]?.number ?? 0, $0["endTime"]?.number ?? 0) }
    }

    func isEncoded(_ time: Double) -> Bool { spans.contains { $0.start - 0.002 <= time && time < $0.end - 0.002 } }

    /// Expects all pictures outside of spans to be the source's, at the source's times, and all other streams to be
    /// equal packet for packet.
    ///
    /// - Parameter keepsTimes: indicates whether the container can hold the source's times.
    func expectUntouchedOutsideOfSpans(
        _ comment: Comment? = nil, keepsTimes: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let wanted = wantedFrames
        let times = wanted.map(\.time)
        // A transport stream has no times below 0, and begins as much later.
        let delay = part != nil && names.result.hasSuffix(".ts") ? result.frameTimes.first ?? 0 : 0
        let after = result.frameTimes.map { $0 - delay }
        #expect(times.count == after.count, comment, sourceLocation: sourceLocation)
        if keepsTimes { #expect(isSameTimes(times, after), comment, sourceLocation: sourceLocation) }
        let (before, drawn) = (frames.source.all, frames.result.all)
        try #require(
            before.count == source.frameTimes.count && drawn.count == times.count, comment,
            sourceLocation: sourceLocation)
        let changed = times.indices.filter { before[wanted[$0].number] != drawn[$0] && !isEncoded(times[$0]) }
        #expect(changed.isEmpty, comment, sourceLocation: sourceLocation)
        // A transport stream frames the sound of a part differently.
        if part == nil || !names.result.hasSuffix(".ts") {
            #expect(result.digests(of: "audio") == wantedSound, comment, sourceLocation: sourceLocation)
        }
        let (known, said) = (complaints(frames.source), complaints(frames.result))
        #expect(said.filter { !known.contains($0) }.isEmpty, comment, sourceLocation: sourceLocation)
    }

    /// The source's frames that the result should have, by their numbers there, with their expected times.
    private var wantedFrames: [(number: Int, time: Double)] {
        let times = source.frameTimes
        guard let part, let first = begin else {
            // FFmpeg shows some pictures that an edit list hides: those of intra-only codecs.
            let hides = names.source.hasSuffix(".mp4") || names.source.hasSuffix(".mov")
            return times.enumerated().map { ($0.offset, $0.element) }.filter { !hides || $0.1 > -0.0005 }
        }
        // The one that is on the screen as the part begins is shown at 0.
        let opening = times.lastIndex { $0 - first <= part.lowerBound + 0.0005 } ?? 0
        return times.indices.filter { $0 >= opening && times[$0] - first < part.upperBound - 0.0005 }
            .map { ($0, max(times[$0] - first - part.lowerBound, 0)) }
    }

    /// The start of the source: media that an edit list cuts off has negative times.
    private var begin: Double? { source.frameTimes.first.map { max($0, 0) } }

    private var wantedSound: [[String]] {
        guard let part, let first = begin else { return source.digests(of: "audio") }
        return zip(source.digests(of: "audio"), source.times(of: "audio")).map { digests, times in
            let limits = (first + part.lowerBound - 0.0001)..<(first + part.upperBound - 0.0001)
            return zip(digests, times).filter { limits.contains($0.1) }.map(\.0)
        }
    }

    /// Expects a player that seeks to a seam, or to a frame before or after it, to show the same picture as when it
    /// plays all.
    func expectSeamsCanBeSought(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        // In a transport stream FFmpeg seeks to any packet, and cannot decode from there.
        if names.result.hasSuffix(".ts") { return }
        let known = Set(frames.result.frames.map(\.description))
        let step = (result.frameTimes.last ?? 0) / Double(max(result.frameTimes.count, 1))
        let places = spans.flatMap { [$0.start, $0.end] }.flatMap { [$0 - step, $0, $0 + step] }
        guard !places.isEmpty else { return }
        let seen = try await FrameChecksums.frames(
            of: bench.file(names.result), soughtAt: places, decoder: decoder)
        #expect(!seen.isEmpty, comment, sourceLocation: sourceLocation)
        let unknown = seen.filter { !known.contains($0.description) }
        #expect(unknown.isEmpty, comment, sourceLocation: sourceLocation)
    }

    /// Returns the messages of a decoder.
    private func complaints(_ frames: FrameChecksums) -> [String] {
        // Addresses differ from run to run.
        frames.messages.map { String($0.replacing(/@ 0x[0-9a-f]+/, with: "")) }
            .filter { $0.hasPrefix("[h") || $0.hasPrefix("[vp") }
    }
}

extension Workbench {
    /// Filters with default encoder options and without gesture recognition.
    @discardableResult
    func smart(_ input: String, _ output: String, _ options: [String] = []) async throws -> EventLines {
        let result = try await flourish(["filter", input, output, "--no-gestures", "--events", "-"] + options)
        try #require(result.exitCode == 0, "\(result.command): \(result.standardError)")
        return try EventLines(result.standardOutput)
    }

    /// Makes a plan with reactions that end soon.
    func shortPlan(_ input: String, _ name: String, _ reactions: [(type: String, time: Double, seconds: Double)])
        async throws
    {
        let asked = reactions.flatMap { ["--reaction", "\($0.type)@\($0.time)"] }
        let made = try await flourish(["plan", input, "--no-gestures", "--output", name] + asked)
        try #require(made.exitCode == 0, "\(made.standardError)")
        var plan = try #require(try JSONSerialization.jsonObject(with: bytes(name)) as? [String: Any])
        var list = try #require(plan["reactions"] as? [[String: Any]])
        for index in list.indices {
            let start = try #require(list[index]["startTime"] as? Double)
            let wish = reactions.min { abs($0.time - start) < abs($1.time - start) }
            list[index]["endTime"] = start + (wish?.seconds ?? 0.3)
        }
        plan["reactions"] = list
        try write(try JSONSerialization.data(withJSONObject: plan), as: name)
    }
}
