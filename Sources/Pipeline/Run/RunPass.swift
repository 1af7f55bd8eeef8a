package import MediaIO
import Platform
package import Reactions

/// One pass over an input: what is read, what is looked for, and what is written. ``PipelineRun`` and ``SpliceRun``
/// execute it.
///
/// A run is a single pass, or an analysis pass that finds reactions and a rendering pass that shows them. When a pass is
/// created, the mode of the run is resolved into properties of the pass. So the components that execute a pass do not
/// depend on the mode.
package struct RunPass: Sendable {
    package let input: String
    /// The input's file, which is opened once for the whole run; `nil` if the input is no regular file.
    private let file: OpenFile?
    /// The video to write. If it is `nil`, events are emitted, and nothing is drawn or encoded.
    package var output: String?
    package var configuration: Configuration
    package var resources: Resources
    package var observer: SessionObserver
    /// The plan whose reactions replace the reactions of gestures and of the configuration.
    package var plan: ReactionPlan?
    /// The reactions that are known before the pass begins, on its clock.
    package var schedule: [ScheduledRequest]
    /// The warnings that are emitted before the events of the first frame.
    package var startupWarnings: [PipelineWarning]
    /// The events of earlier passes. Each is emitted with the frame at its time.
    var replayedEvents: [ReactionEvent] = []
    /// True if this pass warns about damage of the input and gaps in its time stamps. Only one pass of a run does.
    var reportsInputFaults = true
    /// True if hands are detected: in the intervals of ``scan``, or without one in all frames.
    package var detectsHands: Bool
    /// The photographs to capture; `nil` if there are none, or an earlier pass has captured them.
    package var photos: PhotoOptions?
    /// True if a later pass chooses the places of reactions, since they depend on what auto framing shows.
    var defersPlaces = false
    /// True if the decisions are recorded as a plan, and packets are indexed for copying.
    private(set) var recordsPlan = false
    /// The frames to decode, from a quick scan; `nil` for all frames.
    package private(set) var scan: ScannedRecording?
    /// The tiles that are known before the pass begins, on its clock; `nil` if the frames contain the tiles.
    var knownLayouts: LayoutTimeline?
    /// The reason why all frames are encoded although copying most of them was an option.
    package var fullEncodeReason: SmartRenderUnavailable?

    /// Creates the only pass of a run, or the first one.
    ///
    /// - Parameters:
    ///   - plan: A plan of the whole recording.
    ///   - earliestStart: The earliest start of a shown reaction of the plan, in seconds on the clock of the trim range.
    ///     The default is slightly before the beginning, because times are rounded.
    package init(
        input: String, output: String? = nil, configuration: Configuration, resources: Resources,
        observer: SessionObserver, plan: ReactionPlan? = nil, earliestStart: Double = -0.0005
    ) {
        self.input = input
        file = MediaAddress(input).filePath.flatMap(OpenFile.init)
        self.output = output
        self.configuration = configuration
        self.resources = resources
        self.observer = observer
        self.plan = plan
        detectsHands = configuration.gesturesEnabled
        photos = configuration.photos
        let start = configuration.input.start
        if let plan {
            schedule = plan.requests().map { $0.shifted(toStart: start) }
                .filter { start <= 0 || $0.seconds >= earliestStart }
            startupWarnings = []
            knownLayouts = plan.layouts.shifted(toStart: start)
        } else {
            let scheduled = configuration.scheduledReactions.map { ScheduledRequest($0).shifted(toStart: start) }
            schedule = scheduled.filter { $0.seconds >= 0 }
            startupWarnings = scheduled.filter { $0.seconds < 0 }
                .map { $0.notShown("it is before the start of the trim range") }
            if case .fixed(let layouts) = configuration.layout { knownLayouts = layouts.shifted(toStart: start) }
        }
    }

    /// The configuration's choice of tiles, on the clock of the trim range.
    private var configurationLayout: LayoutChoice {
        guard case .fixed(let layouts) = configuration.layout else { return configuration.layout }
        return .fixed(layouts.shifted(toStart: configuration.input.start))
    }

    /// The scheduled reactions that are photographed.
    var photographedSchedule: [ScheduledRequest] { photos?.folder == nil ? [] : schedule }

    /// The tiles in which gestures are detected. They are the tiles of the scan, if the choice is automatic and there
    /// was a scan.
    var layout: LayoutChoice {
        guard case .automatic = configuration.layout, let layouts = scan?.layouts else { return configurationLayout }
        return .fixed(layouts)
    }

    /// True if tiles matter although no gestures are detected. Reactions at a place are drawn in the tile at that
    /// place, Portrait and Studio Light in each tile, and auto framing follows people in single pictures only.
    var needsLayout: Bool {
        guard plan == nil, configuration.layout != .single else { return false }
        if let layouts = scan?.layouts, configuration.layout == .automatic { return !layouts.layouts.isEmpty }
        return configuration.isSteered || configuration.videoEffects != VideoEffects()
            || schedule.contains { $0.request.origin != nil }
    }

    /// True if tiles must be detected because scheduled reactions have a place. They are drawn in the tile at their
    /// place.
    var findsTiles: Bool {
        plan == nil && configuration.layout == .automatic
            && configuration.scheduledReactions.contains { $0.origin != nil }
    }

    /// True if hands are looked for although an earlier pass has detected all gestures: Portrait and Studio Light count
    /// hands as parts of people. If gestures are off, no hand is ever looked for.
    var needsHands: Bool {
        !detectsHands && output != nil && configuration.gesturesEnabled && configuration.videoEffects.segmentsPeople
    }

    /// The kind of the output; `nil` if only events are emitted.
    package var outputKind: RunOutput.Kind? { output.map { RunOutput.Kind(configuration, path: $0) } }

    /// Returns the pass that finds reactions, and records them as a plan.
    package func analysing() -> RunPass {
        var pass = self
        pass.output = nil
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

/// Opening the input.
extension RunPass {
    /// Returns the settings with which the input is opened.
    ///
    /// - Parameter stalled: Called if a pipe or the network delivers no data for a while.
    func inputSettings(stalled: (@Sendable () -> Void)? = nil) -> InputSettings {
        var settings = InputSettings(configuration, address: input, stalled: stalled)
        settings.file = file
        return settings
    }

    /// Opens the input at its beginning, without decoding it.
    ///
    /// - Throws: The errors of opening a `Demuxer`.
    func openInput(_ interrupt: InterruptFlag?) throws(MediaError) -> Demuxer {
        try Demuxer(path: input, settings: inputSettings(), interrupt: interrupt)
    }

    /// Indexes all packets of the recording.
    package func indexRecording(_ control: SessionControl) async throws(FlourishError) -> IndexedRecording {
        try await control.onThread { () throws(MediaError) in
            try PacketIndexer.index(openInput(control.interrupt))
        }
    }

    /// Refuses an output that exists or is the input.
    ///
    /// - Throws: ``FlourishError``.
    func checkOutput() throws(FlourishError) {
        guard let output else { return }
        try OutputCheck.check(output, input: input, overwrite: configuration.overwrite)
    }

    /// Reads the available effects, and verifies that the configuration and the plan name only existing ones.
    ///
    /// - Throws: ``FlourishError``.
    func readCatalog() throws(FlourishError) -> EffectCatalog {
        let catalog = try EffectCatalog(resources: resources, checking: configuration, showing: plan)
        try plan?.check(catalog)
        return catalog
    }
}

extension ScheduledRequest {
    /// Returns the request on the clock of a trim range that starts at a time of the whole recording, in seconds.
    fileprivate func shifted(toStart start: Double) -> ScheduledRequest {
        var request = self
        request.seconds -= start
        return request
    }
}

extension Configuration {
    /// Returns whether the output of a run that was stopped is only a part, and gets a name that says so. The output of a
    /// live input is whole, because such an input ends only when its user ends it.
    package func keepsPart(of input: String) -> Bool {
        if isLive || keepsPartialOutput { return false }
        return input == "-" ? DescriptorInput.isPlainFile(0) : RecordedFile.size(of: input) != nil
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
