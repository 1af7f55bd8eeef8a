package import MediaIO
import Platform
package import Reactions

/// The description of one pass over the input of a run. ``PipelineRun`` and ``SpliceRun`` execute it.
///
/// A run is a single pass, or an analysis pass that finds reactions and a rendering pass that shows them
/// (``rendering(_:as:)``). When a pass is created, the mode of the run is resolved into properties of the pass. So the
/// components that execute a pass do not depend on the mode.
package struct RunPass: Sendable {
    package var request: PipelineRequest
    /// The reactions that are known before the pass begins, on its clock.
    package var schedule: [ScheduledRequest]
    /// The warnings that are emitted before the events of the first frame.
    package var startupWarnings: [PipelineWarning]
    /// The events of earlier passes. Each is emitted with the frame at its time.
    package var replayedEvents: [ReactionEvent] = []
    /// A value that indicates whether this pass warns about damage of the input and gaps in its time stamps.
    var inputFaults = InputFaultReporting.emitted
    /// The frames in which hands are detected.
    package var detection: HandDetection
    /// The photographs to capture; `nil` if there are none, or an earlier pass has captured them.
    package var photos: PhotoOptions?
    /// Records the decisions as a plan, and indexes packets for copying; `nil` if neither is needed.
    var record: AnalysisRecord?
    /// The frames to decode, from a quick scan; `nil` for all frames.
    package private(set) var scan: ScannedRecording?
    /// The tiles that are known before the pass begins, on its clock; `nil` if the frames contain the tiles.
    private(set) var knownLayouts: LayoutTimeline?
    /// The status of the output if the run is stopped.
    let stoppedOutput: StoppedOutput
    /// The reason why all frames are encoded although copying most of them was an option.
    package var fullEncodeReason: SmartRenderUnavailable?

    /// Creates the only pass of a run, or the first one.
    package init(_ request: PipelineRequest) {
        self.request = request
        schedule = request.schedule
        startupWarnings = request.scheduledTooEarly
        detection = request.configuration.gesturesEnabled ? .allFrames : .none
        photos = request.configuration.photos
        knownLayouts = request.knownLayouts
        stoppedOutput = StoppedOutput(of: request.input, request.configuration)
    }

    /// The scheduled reactions that are photographed.
    var photographedSchedule: [ScheduledRequest] { photos?.folder == nil ? [] : schedule }

    /// The tiles in which gestures are detected. They are the tiles of the scan, if the choice is automatic and there
    /// was a scan.
    var layout: LayoutChoice {
        guard case .automatic = request.layout, let layouts = scan?.layouts else { return request.layout }
        return .fixed(layouts)
    }

    /// A Boolean value that indicates whether tiles matter although no gestures are detected. Reactions at a place are
    /// drawn in the tile at that place, and Portrait and Studio Light in each tile.
    var needsLayout: Bool {
        guard request.plan == nil, request.configuration.layout != .single else { return false }
        if let layouts = scan?.layouts, request.configuration.layout == .automatic { return !layouts.layouts.isEmpty }
        return request.configuration.isSteered || request.configuration.videoEffects != VideoEffects()
            || schedule.contains { $0.request.origin != nil }
    }

    /// A Boolean value that indicates whether hands are looked for although an earlier pass has detected all gestures:
    /// Portrait and Studio Light count hands as parts of people. If gestures are off, no hand is ever looked for.
    var needsHands: Bool {
        guard case .none = detection, request.output != nil, request.configuration.gesturesEnabled else { return false }
        return !request.configuration.videoEffects.isOff
    }

    /// Returns the pass that finds reactions, and records them as a plan.
    package func analysing() -> RunPass {
        var pass = self
        pass.request.output = nil
        pass.record = AnalysisRecord()
        return pass
    }

    /// Returns the pass that decodes only the frames that a scan selected, and detects hands only in the scan's
    /// intervals. If the scan is `nil`, the pass is unchanged.
    package func limited(to scan: ScannedRecording?) -> RunPass {
        guard let scan else { return self }
        var pass = self
        pass.scan = scan
        pass.detection = detection.limited(to: scan.intervals)
        return pass
    }

    /// Returns the pass that renders the results of an analysis pass. The analysis pass has already emitted all
    /// warnings and captured all photographs.
    ///
    /// - Parameter part: The part of the run to which the pass corresponds, for its progress.
    package func rendering(_ analysis: AnalysisResult, as part: SessionProgress.Part) -> RunPass {
        var pass = self
        pass.request.observer = request.observer.during(part, of: .rendering)
        pass.request.plan = analysis.plan
        // The plan's times are already on the clock of the trim range, so they are not shifted.
        (pass.schedule, pass.knownLayouts) = (analysis.plan.requests(), analysis.plan.layouts)
        (pass.startupWarnings, pass.replayedEvents) = ([], analysis.events)
        (pass.detection, pass.photos, pass.inputFaults) = (.none, nil, .emittedBefore)
        return pass
    }
}

/// The frames of a pass in which hands are detected.
package enum HandDetection: Sendable {
    case none, allFrames
    /// Frames in the intervals that a scan selected.
    case candidates(CandidateIntervals)

    fileprivate func limited(to intervals: CandidateIntervals) -> HandDetection {
        switch self {
        case .none: .none
        case .allFrames, .candidates: intervals.ranges.isEmpty ? .none : .candidates(intervals)
        }
    }
}

/// The reporting of input faults. Only one pass of a run emits warnings about these faults.
enum InputFaultReporting: Sendable {
    case emitted
    /// An earlier pass has emitted the warnings.
    case emittedBefore

    /// Returns the warnings that the pass emits.
    func warnings(_ found: @autoclosure () -> [PipelineWarning]) -> [PipelineWarning] {
        switch self {
        case .emitted: found()
        case .emittedBefore: []
        }
    }
}

/// The recorders with which an analysis pass collects the data for a rendering pass.
struct AnalysisRecord: Sendable {
    /// Records the decisions of planning, from the first frame on.
    var recorder = PlanRecorder()

    /// Returns an index of packets, to which the reader adds each packet.
    func makeIndexer(_ demuxer: Demuxer) throws(MediaError) -> PacketIndexer { try PacketIndexer(demuxer) }
}

/// The result of an analysis pass.
package struct AnalysisResult: Sendable {
    package var plan: ReactionPlan
    package var indexedRecording: IndexedRecording
    /// The events that the analysis emitted. Events that rendering emits anyway are omitted.
    package var events: [ReactionEvent]
    /// The positions of the frames; `nil` if they can be found only by decoding all frames.
    package var scan: ScannedRecording?

    package init(
        plan: ReactionPlan, indexedRecording: IndexedRecording, events: [ReactionEvent], scan: ScannedRecording?
    ) {
        self.plan = plan
        self.indexedRecording = indexedRecording
        self.events = events
        self.scan = scan
    }
}

/// Temporary files that killed runs with the same output have left.
package enum StaleTemporaryFiles {
    /// Removes the files.
    ///
    /// - Parameter output: The output; nothing is removed if it is `nil` or not a file.
    /// - Returns: A warning for each file.
    package static func remove(besides output: String?) -> [PipelineWarning] {
        guard let output, let file = MediaAddress(output).filePath, !TemporaryFile.isSpecial(file) else { return [] }
        return TemporaryFile.removeLeftovers(of: file).map {
            PipelineWarning(
                code: .leftoverRemoved,
                message: "\($0): removed; an interrupted run had left this temporary file of \(output)")
        }
    }
}
