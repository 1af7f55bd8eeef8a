package import MediaIO
import Platform
package import Reactions

/// One pass over the input of a run.
///
/// A run is a single pass, or an analysis pass that finds reactions and a rendering pass that shows them
/// (``rendering(_:as:)``). All that a pass may do without the other is resolved into its properties when it is made; nothing
/// that executes a pass asks for the mode of the run.
package struct RunPass: Sendable {
    package var request: PipelineRequest
    /// The reactions that are known before the pass begins, on its clock.
    package var schedule: [ScheduledRequest]
    /// Emitted before the events of the first frame.
    package var startupWarnings: [PipelineWarning]
    /// The events of earlier passes, each of which is emitted with the frame at its time.
    package var replayedEvents: [ReactionEvent] = []
    /// A Boolean value that indicates whether damage of the input and gaps in its clock are still to be reported.
    var reportsInputFaults = true
    package var findsGestures: Bool
    /// The photographs to take; `nil` where none are wanted, or an earlier pass took them.
    package var photos: PhotoOptions?
    /// A Boolean value that indicates whether decisions are recorded as a plan, and packets indexed for copying.
    package var recordsPlan = false
    /// The frames to decode, from a quick scan; `nil` for all frames.
    package var scan: ScannedRecording?
    /// The reason that all frames are encoded although copying most of them was an option.
    package var wholeReason: SmartRenderUnavailable?

    /// Creates the only pass of a run, or the first one.
    package init(_ request: PipelineRequest) {
        self.request = request
        schedule = request.schedule
        startupWarnings = request.scheduledTooEarly
        findsGestures = request.configuration.gesturesEnabled
        photos = request.configuration.photos
    }

    /// A Boolean value that indicates whether photographs are taken of scheduled reactions.
    package var photographsSchedule: Bool { photos?.folder != nil && !schedule.isEmpty }

    /// The tiles in which gestures are detected: those of the scan, where there was one.
    var layout: LayoutChoice { scan.map { .fixed($0.layouts) } ?? request.configuration.layout }

    /// A Boolean value that indicates whether tiles matter although no gestures are detected: reactions at a place are drawn in
    /// the tile there.
    var needsLayout: Bool {
        guard request.plan == nil, request.configuration.layout != .single else { return false }
        return findsGestures || request.configuration.isLive || schedule.contains { $0.request.origin != nil }
    }

    /// Returns the pass that finds reactions, and records them as a plan.
    package func analysing() -> RunPass {
        var pass = self
        pass.request.output = nil
        pass.recordsPlan = true
        return pass
    }

    /// Returns the pass that shows what an analysis pass found. The analysis pass has emitted all warnings, and has taken all
    /// photographs.
    ///
    /// - Parameter part: The part of the run that the pass is, for its progress.
    package func rendering(_ analysis: AnalysisResult, as part: SessionProgress.Part) -> RunPass {
        var pass = self
        pass.request.observer = request.observer.during(part, of: .rendering)
        pass.request.plan = analysis.plan
        // The plan is on the clock of the part that is read.
        pass.schedule = analysis.plan.requests()
        (pass.startupWarnings, pass.replayedEvents) = ([], analysis.events)
        (pass.findsGestures, pass.photos, pass.reportsInputFaults) = (false, nil, false)
        return pass
    }
}

/// The result of an analysis pass.
package struct AnalysisResult: Sendable {
    package var plan: ReactionPlan
    package var survey: IndexedRecording
    /// Everything that was emitted, except what rendering emits again.
    package var events: [ReactionEvent]
    /// The places of the frames; `nil` where only decoding all frames would find them.
    package var scan: ScannedRecording?

    package init(plan: ReactionPlan, survey: IndexedRecording, events: [ReactionEvent], scan: ScannedRecording?) {
        self.plan = plan
        self.survey = survey
        self.events = events
        self.scan = scan
    }
}

/// Temporary files that killed runs left beside an output.
package enum StaleTemporaryFiles {
    /// Removes them.
    ///
    /// - Returns: A warning for each.
    package static func remove(besides output: String?) -> [PipelineWarning] {
        guard let output, let file = MediaAddress(output).filePath, !TemporaryFile.isSpecial(file) else { return [] }
        return TemporaryFile.removeLeftovers(of: file).map {
            PipelineWarning(
                code: .leftoverRemoved,
                message: "\($0): removed; it is what a run that was killed has left of \(output)")
        }
    }
}
