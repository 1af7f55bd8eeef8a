import MediaIO
public import Pipeline
public import Reactions

extension ReactionPlan {
    /// The reactions as markers for an editing program.
    ///
    /// Each has its reaction's number in its name, as in `thumbsUp #3`. Those that are shown are green, others red
    /// with the reason in their comment; WebVTT holds only the former.
    ///
    /// ```swift
    /// let text = try plan.markers(as: .edl)
    /// ```
    ///
    /// - Parameters:
    ///   - format: the markers' format.
    ///   - options: how the timeline counts.
    ///   - resources: where effects lie, whose own durations are markers' durations; 3 s are where they are not installed.
    /// - Throws: ``FlourishError/Code/usage`` for options that make no sense.
    public func markers(
        as format: MarkerFormat, options: MarkerOptions = MarkerOptions(), resources: Resources = .located()
    ) throws(FlourishError) -> String {
        let durations = durations(resources)
        let sheet = MarkerSheet(self, rate: try rate(options), durations: durations)
        switch format {
        case .edl:
            guard reactions.count <= EDLMarkers.greatestCount else {
                throw FlourishError(
                    .usage,
                    "an .edl holds \(EDLMarkers.greatestCount) markers, and the plan has \(reactions.count); convert it to .otio"
                )
            }
            do throws(MarkerFault) {
                return EDLMarkers.write(sheet, start: try EDLMarkers.start(options, sheet.rate))
            } catch {
                throw FlourishError(.usage, error.message, remedy: error.remedy)
            }
        case .openTimelineIO: return OTIOMarkers.write(sheet)
        case .finalCut7: return FinalCut7Markers.write(sheet)
        case .finalCut: return FinalCutMarkers.write(sheet)
        case .csv: return CSVMarkers.write(self)
        case .webVTT: return WebVTTMarkers.write(self, durations: durations)
        }
    }

    /// Does to the reactions what somebody did to their markers in an editing program.
    ///
    /// A marker that was moved moves its reaction, one that was made longer or shorter changes its end, one whose colour
    /// became green or red, or whose name became another reaction's, changes that; one that was deleted switches its
    /// reaction off. A marker without a number that is called like a reaction adds one; other markers are passed over.
    /// A reaction whose marker stayed as it was is not touched.
    ///
    /// ```swift
    /// let changes = try plan.apply(markers: bytes, from: .edl)
    /// ```
    ///
    /// - Parameters:
    ///   - markers: the file's content.
    ///   - format: the markers' format.
    ///   - name: how errors name the file.
    ///   - options: those that the markers were made with.
    ///   - resources: those that the markers were made with.
    /// - Throws: ``FlourishError/Code/inputUnusable`` for a broken file, with the place of the first fault, and for one
    ///   without a marker of this plan; ``FlourishError/Code/usage`` for a format that is not read. The plan is as it was then.
    @discardableResult
    public mutating func apply(
        markers: [UInt8], from format: MarkerFormat, name: String = "the markers",
        options: MarkerOptions = MarkerOptions(),
        resources: Resources = .located()
    ) throws(FlourishError) -> MarkerChanges {
        let rate = try rate(options)
        var (changed, changes) = (self, MarkerChanges())
        do throws(MarkerFault) {
            let found: FoundMarkers
            switch format {
            case .edl: found = try EDLMarkers.read(markers.text, rate: rate, options: options)
            case .csv: found = try CSVMarkers.read(markers.text, sourceStart: source.startTime)
            case .openTimelineIO: found = try OTIOReading.read(markers, source: source, rate: rate)
            case .finalCut7, .finalCut, .webVTT:
                throw MarkerFault(
                    "",
                    ".\(format.rawValue) is not read back; export the markers from the editing program as .otio, .edl or .csv",
                    isUsage: true)
            }
            let durations = durations(resources)
            var update = MarkerUpdate(
                self, sheet: MarkerSheet(self, rate: rate, durations: durations),
                types: EffectCatalog.availableTypes(in: resources))
            try update.apply(found)
            (changed, changes) = (update.plan, update.changes)
        } catch {
            let place = error.place.isEmpty ? "" : "\(error.place): "
            throw FlourishError(
                error.isUsage ? .usage : .inputUnusable, "\(name): \(place)\(error.message)", remedy: error.remedy)
        }
        // What was switched off might have been anything.
        try changed.validate()
        self = changed
        return changes
    }

    private func rate(_ options: MarkerOptions) throws(FlourishError) -> TimecodeRate {
        if let rate = options.frameRate, !TimecodeRate.isKnown(rate) {
            throw FlourishError(
                .usage, "\(rate.plainText) frames a second is no timeline's rate; give one such as 25 or 29.97"
            )
        }
        let rate = TimecodeRate(options.frameRate ?? source.frameRate, isDropFrame: options.isDropFrame)
        if options.isDropFrame, !rate.isDropFrame {
            throw FlourishError(
                .usage,
                "drop-frame timecode is for 29.97 and 59.94 frames a second, not \(rate.framesPerSecond.plainText)",
                remedy: .countingAllFrames)
        }
        return rate
    }

    /// How long each effect lasts by itself; none where none are installed.
    private func durations(_ resources: Resources) -> [ReactionType: Double] {
        (try? EffectCatalog(resources: resources, style: style.look))?.presets.mapValues(\.duration) ?? [:]
    }
}

extension [UInt8] {
    /// As text, without the mark that some programs put before it.
    fileprivate var text: String {
        String(decoding: starts(with: [0xEF, 0xBB, 0xBF]) ? self[3...] : self[...], as: UTF8.self)
    }
}
