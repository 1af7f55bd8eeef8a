package import MediaIO
import Platform
package import Reactions

/// The description of one pass over the input of a run. ``PipelineRun`` and ``SpliceRun`` execute it.
///
/// A run is a single pass, or an analysis pass that finds reactions and a rendering pass that shows them. When a pass is
/// created, the mode of the run is resolved into properties of the pass. So the components that execute a pass do not
/// depend on the mode.
package struct RunPass: Sendable {
    package var request: PipelineRequest
    /// The reactions that are known before the pass begins, on its clock.
    package var schedule: [ScheduledRequest]
    /// The warnings that are emitted before the events of the first frame.
    package var startupWarnings: [PipelineWarning]
    /// The events of earlier passes. Each is emitted with the frame at its time.
    package var replayedEvents: [ReactionEvent] = []
    /// True if this pass warns about damage of the input and gaps in its time stamps. Only one pass of a run does.
    var reportsInputFaults = true
    /// True if hands are detected: in the intervals of ``scan``, or without one in all frames.
    package var detectsHands: Bool
    /// The photographs to capture; `nil` if there are none, or an earlier pass has captured them.
    package var photos: PhotoOptions?
    /// True if the decisions are recorded as a plan, and packets are indexed for copying.
    private(set) var recordsPlan = false
    /// The frames to decode, from a quick scan; `nil` for all frames.
    package private(set) var scan: ScannedRecording?
    /// The tiles that are known before the pass begins, on its clock; `nil` if the frames contain the tiles.
    var knownLayouts: LayoutTimeline?
    /// The reason why all frames are encoded although copying most of them was an option.
    package var fullEncodeReason: SmartRenderUnavailable?

    /// Creates the only pass of a run, or the first one.
    package init(_ request: PipelineRequest) {
        self.request = request
        schedule = request.schedule
        startupWarnings = request.scheduledTooEarly
        detectsHands = request.configuration.gesturesEnabled
        photos = request.configuration.photos
        knownLayouts = request.knownLayouts
    }

    /// The scheduled reactions that are photographed.
    var photographedSchedule: [ScheduledRequest] { photos?.folder == nil ? [] : schedule }

    /// The tiles in which gestures are detected. They are the tiles of the scan, if the choice is automatic and there
    /// was a scan.
    var layout: LayoutChoice {
        guard case .automatic = request.layout, let layouts = scan?.layouts else { return request.layout }
        return .fixed(layouts)
    }

    /// True if tiles matter although no gestures are detected. Reactions at a place are drawn in the tile at that
    /// place, and Portrait and Studio Light in each tile.
    var needsLayout: Bool {
        guard request.plan == nil, request.configuration.layout != .single else { return false }
        if let layouts = scan?.layouts, request.configuration.layout == .automatic { return !layouts.layouts.isEmpty }
        return request.configuration.isSteered || request.configuration.videoEffects != VideoEffects()
            || schedule.contains { $0.request.origin != nil }
    }

    /// True if hands are looked for although an earlier pass has detected all gestures: Portrait and Studio Light count
    /// hands as parts of people. If gestures are off, no hand is ever looked for.
    var needsHands: Bool {
        !detectsHands && request.output != nil && request.configuration.gesturesEnabled
            && !request.configuration.videoEffects.isOff
    }

    /// Returns the pass that finds reactions, and records them as a plan.
    package func analysing() -> RunPass {
        var pass = self
        pass.request.output = nil
        pass.recordsPlan = true
        return pass
    }

    /// Returns the pass that decodes only the frames that a scan selected, and detects hands only in the scan's
    /// intervals. If the scan is `nil`, the pass is unchanged.
    func limited(to scan: ScannedRecording?) -> RunPass {
        guard let scan else { return self }
        var pass = self
        pass.scan = scan
        pass.detectsHands = detectsHands && !scan.intervals.ranges.isEmpty
        return pass
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
