import Foundation
import Testing
import TestSupport

@testable import Flourish
@testable import Pipeline
@testable import Reactions

@Suite struct ReactionProcessorTests {
    private var resources: Resources { Resources(assets: Repository.root.appending(path: "Assets").path) }

    private func processor(
        _ format: String = "yuv420p", width: Int = 160, height: Int = 120, schedule: [ScheduledReaction] = []
    ) throws -> ReactionProcessor {
        var configuration = Configuration()
        configuration.gesturesEnabled = false
        configuration.scheduledReactions = schedule
        configuration.resources = resources
        return try ReactionProcessor(
            width: width, height: height, pixelFormat: format, session: ReactionSession(configuration: configuration))
    }

    /// A picture with many different sample values.
    private func picture(_ size: Int) -> [UInt8] { (0..<size).map { UInt8(truncatingIfNeeded: 40 + $0 % 160) } }

    /// Processes ten pictures a second with a request for an effect before the sixth.
    ///
    /// - Returns: a character for each picture that indicates whether it was drawn on.
    private func drawn(_ format: String) throws -> String {
        let processor = try processor(format)
        let original = picture(processor.packedSize)
        var marks = ""
        for index in 0..<10 {
            if index == 5 { try processor.session.performEffect(for: .confetti) }
            var copy = original
            let effects = try processor.process(&copy, at: Double(index) / 10)
            #expect(effects.map(\.reactionType) == (index < 5 ? [] : [.confetti]))
            marks += copy == original ? "-" : "#"
        }
        let summary = try processor.finish()
        #expect(summary.effects == [.confetti: 1])
        #expect(summary.framesOut == 10)
        return marks
    }

    /// The first frame of confetti shows nothing yet; converted pictures change slightly.
    @Test(arguments: ["yuv420p", "yuv444p", "yuv422p10le", "nv12", "yuyv422", "bgra", "rgb24"])
    func onlyPicturesWithAnEffectAreChanged(_ format: String) throws {
        let marks = try drawn(format)
        #expect(marks.hasPrefix("-----") && marks.hasSuffix("####"), "\(marks)")
    }

    /// Rows with gaps between them, which stay unchanged.
    @Test func planesMayHaveAnyLayout() throws {
        let (widths, strides, rows) = ([160, 80, 80], [192, 96, 128], [120, 60, 60])
        let offsets = [0, strides[0] * rows[0], strides[0] * rows[0] + strides[1] * rows[1]]
        let packing = try processor(schedule: [ScheduledReaction(.rain, at: 0)])
        let spreading = try processor(schedule: [ScheduledReaction(.rain, at: 0)])
        var packed = picture(packing.packedSize)
        var memory = [UInt8](repeating: 7, count: offsets[2] + strides[2] * rows[2])
        /// The places of each row in both.
        var places: [(packed: Range<Int>, spread: Range<Int>, gap: Range<Int>)] = []
        for plane in 0..<3 {
            for row in 0..<rows[plane] {
                let from = places.last?.packed.upperBound ?? 0, to = offsets[plane] + row * strides[plane]
                places.append(
                    (
                        from..<from + widths[plane], to..<to + widths[plane], to + widths[plane]..<to + strides[plane]
                    ))
            }
        }
        for place in places { memory.replaceSubrange(place.spread, with: packed[place.packed]) }
        for time in [0.0, 1, 2] {
            try packing.process(&packed, at: time)
            try unsafe memory.withUnsafeMutableBytes { bytes in
                let planes = unsafe zip(offsets, strides).map {
                    unsafe PixelPlane(address: bytes.baseAddress! + $0, bytesPerRow: $1)
                }
                _ = unsafe try spreading.process(planes, at: time)
            }
        }
        #expect(places.allSatisfy { memory[$0.spread].elementsEqual(packed[$0.packed]) })
        #expect(places.allSatisfy { memory[$0.gap].allSatisfy { $0 == 7 } })
        #expect(packed != picture(packing.packedSize))
    }

    @Test func eventsEqualThoseOfARun() async throws {
        let processor = try processor(schedule: [ScheduledReaction(.thumbsUp, at: 0.2)])
        let events = processor.session.events
        var bytes = picture(processor.packedSize)
        for index in 0..<50 { try processor.process(&bytes, at: 3 + Double(index) / 10) }
        try processor.finish()
        var reported: [ReactionEvent] = []
        for await event in events { reported.append(event) }
        #expect(
            reported.map(\.name) == [
                "streamStarted", "effectStarted", "effectsInProgress", "effectEnded", "effectsInProgress",
                "streamEnded",
            ])
        #expect(reported[1].frame == 2)
        let schema = try JSONSchema.events()
        for event in reported { #expect(try schema.faults(in: JSONValue(parsing: event.jsonLine)).isEmpty) }
    }

    @Test func aSnapshotIsACopy() async throws {
        let processor = try processor()
        let session = processor.session
        let snapshot = Task { try await session.pngSnapshot() }
        while !session.control.pictures.isWanted { try await Task.sleep(for: .milliseconds(1)) }
        var bytes = picture(processor.packedSize)
        try processor.process(&bytes, at: 0)
        #expect(try await snapshot.value.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }

    /// The models are loaded and run on another thread.
    @Test func liveProcessorsAnalyseConcurrently() async throws {
        var configuration = Configuration()
        configuration.isLive = true
        configuration.resources = .located()
        configuration.resources?.assets = resources.assets
        let processor = try ReactionProcessor(
            width: 160, height: 120, session: ReactionSession(configuration: configuration))
        let original = picture(processor.packedSize)
        for index in 0..<20 {
            var copy = original
            #expect(try processor.process(&copy, at: Double(index) / 10).isEmpty)
            #expect(copy == original)
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try processor.finish().framesIn == 20)
    }

    // MARK: Refused

    @Test func invalidPicturesAreRefused() throws {
        let processor = try processor()
        var small = [UInt8](repeating: 0, count: 100)
        #expect(throws: FlourishError(.usage, "a picture has 100 bytes; one of 160×120 has 28800")) {
            try processor.process(&small, at: 0)
        }
        var bytes = picture(processor.packedSize)
        #expect(throws: FlourishError.self) { try processor.process(&bytes, at: .nan) }
        try processor.finish()
        #expect(throws: FlourishError(.usage, "the processor has finished; create a new one")) {
            try processor.process(&bytes, at: 1)
        }
    }

    /// A refused picture changes nothing: the next one after the last accepted time is drawn on.
    @Test func timesMustIncrease() throws {
        let processor = try processor()
        var bytes = picture(processor.packedSize)
        try processor.process(&bytes, at: 0)
        for time in [0, -1.0] {
            #expect(
                throws: FlourishError(
                    .usage, "the picture's time \(time) s is not after 0.0 s, that of the picture before it")
            ) { try processor.process(&bytes, at: time) }
        }
        try processor.process(&bytes, at: 0.2)
        try processor.finish()
    }

    @Test func lateReadersReceiveAllEvents() async throws {
        let processor = try processor(schedule: [ScheduledReaction(.heart, at: 0.1)])
        for time in 0..<5 {
            var bytes = picture(processor.packedSize)
            try processor.process(&bytes, at: Double(time) / 10)
        }
        try processor.finish()
        var names: [String] = []
        for await event in processor.session.events { names.append(event.name) }
        #expect(names.first == "streamStarted" && names.contains("effectStarted") && names.last == "streamEnded")
    }

    @Test(arguments: [("nonsense", 64, 64), ("yuv420p", 0, 64), ("yuv420p", 64, 100_000)])
    func unsupportedFormatsAreRefused(_ format: String, _ width: Int, _ height: Int) {
        #expect(throws: FlourishError.self) { try processor(format, width: width, height: height) }
    }

    @Test func sessionsRunOnce() throws {
        let processor = try processor()
        #expect(throws: FlourishError(.usage, "a session runs once; create a new one for each input")) {
            try ReactionProcessor(width: 64, height: 64, session: processor.session)
        }
    }
}
