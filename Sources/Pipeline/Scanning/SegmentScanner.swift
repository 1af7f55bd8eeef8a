import MediaIO
import Platform
import Reactions
import Synchronization
import Vision

/// Decodes segments of a recording and scans them, on one of the threads of ``RecordingScan``.
///
/// Source: segments, shared with other scanners. The scanner stops at a segment that needs full analysis.
struct SegmentScanner: Stage, ~Copyable {
    private let source: Channel<CodedSegment>
    private let pass: RunPass
    private var loop: DecodingLoop
    private let findings: ScanFindings
    private let interrupt: InterruptFlag
    private var analyser: HandAnalyser?

    init(
        _ source: Channel<CodedSegment>, _ pass: RunPass, decoder: VideoDecoder, findings: ScanFindings,
        interrupt: InterruptFlag
    ) {
        self.source = source
        self.pass = pass
        loop = DecodingLoop(decoder)
        self.findings = findings
        self.interrupt = interrupt
    }

    /// - Throws: ``FlourishError``, `MediaError`, `InferenceError`.
    consuming func run() throws {
        while let segment = source.receive() {
            if try scanOnFreeCore(segment) { continue }
            findings.give(up: source)
            segment.packets.cancel()
        }
    }

    /// Scans a segment. If runs share the cores, it waits for a free core, and afterwards releases the models to other
    /// runs.
    private mutating func scanOnFreeCore(_ segment: CodedSegment) throws -> Bool {
        guard let shared = pass.resources.shared else { return try scan(segment) }
        defer { analyser = nil }
        return try shared.onFreeCore { try scan(segment) }
    }

    /// - Returns: `false` if a coarse scan is not sufficient, because each field may be a separate packet or the
    ///   segment is damaged. Also `false` if the scan was stopped.
    private mutating func scan(_ segment: CodedSegment) throws -> Bool {
        // Models are loaded only if there are frames to analyse.
        let analyser =
            try self.analyser ?? HandAnalyser(resources: pass.resources, configuration: pass.configuration)
        self.analyser = analyser
        // The result must not depend on another segment.
        analyser.reset()
        loop.leap()
        loop.decoder.smoothsBlocks = false
        var scanner = TileScanner(analyser, layout: pass.layout)
        var watch = findings.watch()
        let interrupt = interrupt
        while let frame = try loop.next({ interrupt.isRaised ? nil : segment.packets.receive() }) {
            if frame.isInterlaced || frame.isDamaged { return false }
            if let end = segment.end.value, frame.time >= end { continue }
            let time = frame.time.seconds
            try scanner.add(frame, at: time)
            loop.decoder.smoothsBlocks = scanner.needsLoopFilter
            findings.reportProgress(&watch, time: time)
        }
        guard !interrupt.isRaised, loop.decoder.dequeueDamage().isEmpty else { return false }
        findings.add(scanner.intervals)
        findings.add(scanner.layouts)
        return true
    }
}

/// Scans a recording for times and places of hands that may make a gesture.
///
/// The scan must not miss a candidate, but may report false ones, because candidates are analysed closely afterwards.
/// So hands are not tracked and holds are not measured. After a detection of hands without a gesture, the next analysis
/// is as late as a hold allows.
///
/// Used by one thread at a time.
struct CoarseScanner {
    private let analyser: HandAnalyser
    private var schedule: AnalysisSchedule
    private var scene = SceneChangeDetector()

    /// True if pictures are so dark that hand detection needs the codec's loop filter.
    var needsLoopFilter: Bool { scene.isDark }

    init(_ analyser: HandAnalyser) {
        self.analyser = analyser
        schedule = AnalysisSchedule(hold: analyser.hold, purpose: .scanning)
    }

    /// Returns whether the frame at a time, in seconds, must be analysed or checked for changes.
    func isDue(at time: Double) -> Bool { schedule.isDue(at: time) }

    /// Analyses a frame if it is due, and an inference is worthwhile.
    /// - Returns: the regions of hands that make or almost make a gesture; `nil` if there are none.
    /// - Throws: `InferenceError`.
    mutating func candidates(in frame: borrowing VideoFrame, time: Double) throws -> [HandRegion]? {
        guard schedule.isDue(at: time) else { return nil }
        let change = frame.withPicture { scene.update(with: $0) }
        guard !schedule.isCalm(at: time) || schedule.recordCheck(at: time, change: change) else { return nil }
        if change == .arrival { analyser.expectHands() }
        analyser.note(scene.changedRegions, at: time)
        let (state, places) = try analyser.detectWithoutTracking(frame, at: time)
        schedule.recordAnalysis(at: time, state: state)
        scene.recordDetection(foundHands: state != .nothing, isSure: analyser.isSureOfHands)
        return state == .gesture ? places : nil
    }
}
