import MediaIO
public import Pipeline
public import Reactions

/// A file format in which editing programs exchange markers.
public enum MarkerFormat: String, Sendable, Hashable, CaseIterable {
    /// DaVinci Resolve's list of timeline markers, `.edl`.
    case edl
    /// OpenTimelineIO, `.otio`: DaVinci Resolve, Kdenlive.
    case openTimelineIO = "otio"
    /// Final Cut Pro 7's XML, `.xml`: Premiere Pro, and most others.
    case finalCut7 = "xml"
    /// Final Cut Pro's XML, `.fcpxml`.
    case finalCut = "fcpxml"
    /// A table, `.csv`: spreadsheets.
    case csv
    /// WebVTT cues, `.vtt`: chapters in web players.
    case webVTT = "vtt"

    /// Creates the format of a file's extension; `nil` for any other.
    ///
    /// ```swift
    /// guard let format = MarkerFormat(path: "call.otio"), format.isReadable else { return }
    /// ```
    public init?(path: String) {
        let name = RecordedFile.name(of: path)
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        self.init(rawValue: name[dot...].dropFirst().lowercased())
    }

    /// True if ``ReactionPlan/apply(markers:from:name:options:resources:)`` reads it.
    public var isReadable: Bool {
        switch self {
        case .edl, .openTimelineIO, .csv: true
        case .finalCut7, .finalCut, .webVTT: false
        }
    }
}

/// The options of markers on an editing program's timeline.
///
/// ```swift
/// var options = MarkerOptions()
/// options.frameRate = 29.97
/// options.isDropFrame = true
/// let list = try plan.markers(as: .edl, options: options)
/// ```
public struct MarkerOptions: Sendable, Hashable {
    /// The timeline's frame rate. If `nil`, it is the recording's rate, or 30 if timecode does not support that rate.
    public var frameRate: Double?
    /// The timecode of the timeline's first frame, for ``MarkerFormat/edl``. Resolve's timelines start at
    /// `01:00:00:00`.
    public var startTimecode = "01:00:00:00"
    /// True if timecode at 29.97 and 59.94 frames a second is drop-frame. A list that is read may override this value.
    public var isDropFrame = false

    /// Creates the default options.
    public init() {}
}

/// Reads files written by editing programs.
package enum MarkerFile {
    /// - Throws: ``FlourishError/Code/inputUnavailable`` if it cannot be read.
    package static func read(_ path: String) throws(FlourishError) -> [UInt8] {
        let bytes = try NamedFile.read(path, advice: "give a file of markers that an editing program exported")
        guard bytes.count <= NamedFile.greatestSize else {
            throw FlourishError(.inputUnusable, "\(path): too large for a file of markers")
        }
        return bytes
    }
}

extension ReactionPlan {
    /// Returns the reactions as markers for an editing program.
    ///
    /// Each marker has its reaction's number in its name, as in `thumbsUp #3`. Enabled reactions are green. Others are
    /// red and have the reason in their comment. WebVTT contains only enabled reactions.
    ///
    /// ```swift
    /// let text = try plan.markers(as: .edl)
    /// ```
    ///
    /// - Parameters:
    ///   - format: The markers' format.
    ///   - options: The options of the timeline.
    ///   - resources: The location of the effects. The marker of a reaction without an end has the default duration of
    ///     its effect, or 3 s if the effect is not installed.
    /// - Throws: ``FlourishError/Code/usage`` for inconsistent options.
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
                    "an .edl is limited to \(EDLMarkers.greatestCount) markers, and the plan has \(reactions.count); convert it to .otio"
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
        case .webVTT: return webVTT(durations)
        }
    }

    /// Applies the changes that the user made to the markers in an editing program.
    ///
    /// A moved marker moves its reaction, and a resized marker changes its end. A marker whose colour changes to green
    /// or red enables or disables its reaction. A marker that gets the name of another reaction type changes the type.
    /// A deleted marker disables the reaction. A marker without a number adds a reaction if its name is that of a
    /// reaction type. Other markers are ignored. A reaction with an unchanged marker stays the same.
    ///
    /// ```swift
    /// let changes = try plan.apply(markers: bytes, from: .edl)
    /// ```
    ///
    /// - Parameters:
    ///   - markers: The file's contents.
    ///   - format: The markers' format.
    ///   - name: The file's name in errors.
    ///   - options: The options with which the markers were made.
    ///   - resources: The resources with which the markers were made.
    /// - Throws: ``FlourishError/Code/inputUnusable`` with the place of the first error if the file is broken, or has
    ///   no marker of this plan; ``FlourishError/Code/usage`` if the format cannot be read. In these cases the plan is
    ///   not changed.
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
                    ".\(format.rawValue) cannot be imported; export the markers from the editing program as .otio, .edl or .csv",
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
        // Markers may enable reactions, and the values of disabled reactions were not validated before.
        try changed.validate()
        self = changed
        return changes
    }

    private func rate(_ options: MarkerOptions) throws(FlourishError) -> TimecodeRate {
        if let rate = options.frameRate, !TimecodeRate.isKnown(rate) {
            throw FlourishError(
                .usage,
                "\(rate.plainText) frames per second is not a timeline's frame rate; use one such as 25 or 29.97"
            )
        }
        let rate = TimecodeRate(options.frameRate ?? source.frameRate, isDropFrame: options.isDropFrame)
        if options.isDropFrame, !rate.isDropFrame {
            throw FlourishError(
                .usage,
                "drop-frame timecode requires 29.97 or 59.94 frames per second, not \(rate.framesPerSecond.plainText)",
                remedy: .countingAllFrames)
        }
        return rate
    }

    /// Returns the default duration of each effect; empty if none are installed.
    private func durations(_ resources: Resources) -> [ReactionType: Double] {
        (try? EffectCatalog(resources: resources, style: style.look))?.presets.mapValues(\.duration) ?? [:]
    }
}

extension [UInt8] {
    /// The bytes as text, without a byte order mark.
    fileprivate var text: String {
        String(decoding: starts(with: [0xEF, 0xBB, 0xBF]) ? self[3...] : self[...], as: UTF8.self)
    }
}

extension ReactionPlan {
    /// The number of each reaction. Reactions without a number get the next free numbers, in the order of their starts.
    package var numbers: [Int] {
        var numbers = reactions.map(\.id)
        var free = freeNumbers
        let order = reactions.indices.filter { numbers[$0] == nil }
            .sorted { (reactions[$0].startTime, $0) < (reactions[$1].startTime, $1) }
        for index in order {
            numbers[index] = free.next()
        }
        return numbers.compactMap(\.self)
    }

    /// The unused numbers: numbers above the greatest used one, if there are enough.
    var freeNumbers: some IteratorProtocol<Int> {
        let used = Set(reactions.compactMap(\.id))
        let greatest = used.max() ?? 0
        let first = greatest > 0 && greatest < 1 << 53 ? greatest + 1 : 1
        return (first...).lazy.filter { !used.contains($0) }.makeIterator()
    }
}

extension ReactionPlan {
    /// Returns WebVTT cues for web players' chapters, https://www.w3.org/TR/webvtt1/: one for each enabled reaction,
    /// with its type as the text. Disabled reactions are omitted, since cues have no colours to mark them.
    fileprivate func webVTT(_ durations: [ReactionType: Double]) -> String {
        let shown = zip(reactions, numbers).filter(\.0.isEnabled)
            .sorted { ($0.0.startTime, $0.1) < ($1.0.startTime, $1.1) }
        return shown.reduce(into: "WEBVTT\n") { text, item in
            let (reaction, id) = item
            let own = durations[reaction.reactionType] ?? MarkerSheet.usualDuration
            let start = min(reaction.startTime, 1e9)
            // A cue must end after it starts.
            let end = max(min(reaction.endTime ?? start + own, source.endTime, 1e9), start + 0.001)
            text += "\n\(id)\n\(CueLog.clock(start)) --> \(CueLog.clock(end))\n"
            text += XMLElement.escaped(reaction.reactionType.rawValue.onOneLine) + "\n"
        }
    }
}
