import Effects
import MediaIO
import Pipeline
import Platform

/// The parameters of a batch: recordings, the output folder, and the common settings.
///
/// ```swift
/// var request = BatchRequest(["calls"], into: "reacted")
/// request.isRecursive = true
/// let report = try await BatchRun(request).run()
/// print(report.results.count { $0.state == .failed })
/// ```
public struct BatchRequest: Sendable {
    /// A kind of output.
    ///
    /// ```swift
    /// var planning = BatchRequest(["calls"], into: "plans")
    /// planning.product = .plan
    /// _ = try await BatchRun(planning).run()
    ///
    /// var rendering = BatchRequest(["calls"], into: "reacted")
    /// rendering.plans = BatchPath("plans")
    /// _ = try await BatchRun(rendering).run()
    /// ```
    public enum Product: String, Sendable, Hashable, CaseIterable {
        /// The video with reactions.
        case video
        /// A ``ReactionPlan``.
        case plan
        /// Events, as JSON Lines.
        case events
    }

    /// The recordings, and folders with recordings.
    public var inputs: [BatchPath]
    /// The output folder, which mirrors the input folders. A missing folder is created.
    public var outputFolder: BatchPath
    /// The kind of output.
    public var product = Product.video
    /// True if subfolders are searched.
    public var isRecursive = false
    /// The maximum number of recordings that are processed at once; if `nil`, it depends on the number of cores. The
    /// available memory is a further limit.
    public var jobs: Int?
    /// The names of outputs. By default they equal the names of the inputs, with `.plan.json` for plans and `.jsonl`
    /// for events.
    public var name: NameTemplate?
    /// True to retry recordings that failed earlier with the same settings.
    public var retriesFailed = false
    /// The folder with the plans of the recordings: the output folder of an earlier batch whose product was
    /// ``Product/plan``. If `nil`, gestures are recognised.
    public var plans: BatchPath?
    /// Changes the style of each plan before it is rendered.
    package var restyle: (@Sendable (inout ReactionPlan.Style) throws(FlourishError) -> Void)?
    /// The configuration of all sessions.
    public var configuration: Configuration

    /// Creates a request to filter recordings.
    public init(_ inputs: [String], into outputFolder: String, configuration: Configuration = Configuration()) {
        self.init(inputs.map { BatchPath($0) }, into: BatchPath(outputFolder), configuration: configuration)
    }

    /// Creates a request to filter recordings whose paths may have any bytes.
    public init(_ inputs: [BatchPath], into outputFolder: BatchPath, configuration: Configuration = Configuration()) {
        self.inputs = inputs
        self.outputFolder = outputFolder
        self.configuration = configuration
    }

    /// The names of outputs.
    var template: NameTemplate {
        if let name { return name }
        return switch product {
        case .video: .same
        case .plan: .plan
        case .events: .events
        }
    }
}

/// Validates a batch request. An error that would affect every recording is reported once.
extension BatchRequest {
    /// The kind of the videos; `nil` if plans or events are written.
    private var videoKind: RunOutput.Kind? { product == .video ? RunOutput.Kind(configuration) : nil }

    /// Rejects settings that are invalid for every recording.
    ///
    /// - Throws: ``FlourishError``, mostly of the code ``FlourishError/Code/usage``.
    func check() throws(FlourishError) {
        try configuration.validate()
        try configuration.refuseLive("a batch processes recordings")
        if videoKind == .video, configuration.outputFormat == nil {
            try name?.checkIsOfVideo()
        }
        if inputs.isEmpty { throw FlourishError(.usage, "no input; name recordings or folders") }
        let resources = configuration.resources ?? .located()
        _ = try EffectCatalog(resources: resources, checking: configuration)
        if product == .video { try configuration.videoEffects.background.check() }
        if let message = InputSettings(configuration, address: "").folderFault { throw FlourishError(.usage, message) }
        if videoKind == .video, configuration.encoding.smartRender == .always,
            let option = configuration.encoding.optionForAllFrames
        {
            throw FlourishError(
                .usage, "smart rendering is not possible: \(option) applies to the whole video",
                remedy: .encodingTheWhole)
        }
    }

    /// Throws if no output can be encoded with the requested options. If only some outputs cannot, their recordings
    /// fail one by one later.
    ///
    /// - Parameter outputs: The paths of the outputs, relative to the output folder.
    /// - Throws: ``FlourishError/Code/usage``.
    func check(outputs: [[UInt8]]) throws(FlourishError) {
        guard product == .video, !outputs.isEmpty else { return }
        var fault: String?
        for path in outputs {
            guard let found = self.fault(of: RawName.text(path)) else { return }
            fault = fault ?? found
        }
        if let fault { throw FlourishError(.usage, fault) }
    }

    /// The reason why an output cannot be encoded with the requested options; `nil` if it can.
    private func fault(of output: String) -> String? {
        do throws(MediaError) {
            let container = try ContainerFormat.chosen(configuration, path: output)
            if videoKind == .overlay {
                _ = try TransparentCoding(for: output, in: container)
                return nil
            }
            var chosen = configuration
            chosen.chooseCodec(for: container)
            return VideoEncoder.fault(of: VideoEncoderSettings(chosen), in: container)
        } catch {
            return error.problem
        }
    }
}

extension Configuration {
    /// Sets the codec that a container accepts, unless the user specified a codec.
    mutating func chooseCodec(for container: ContainerFormat) {
        if !encoding.namesCodec, !container.supportsH264 { encoding.codec = .vp9 }
    }
}

extension BatchRequest {
    /// Returns a hash of everything that an output depends on, except the recording.
    ///
    /// - Parameters:
    ///   - text: ``settingsText``, which takes some milliseconds to compute.
    ///   - plan: The plan's text, if there is one.
    ///   - style: The plan's style.
    static func settingsHash(_ text: String, plan: [UInt8]? = nil, style: ReactionPlan.Style? = nil) -> String {
        var hash = ContentHash()
        hash.add(text.utf8)
        if let plan {
            hash.add(plan)
            hash.add("\(style?.look ?? ReactionStyle()) \(style?.seed ?? 0)".utf8)
            // Not for other plans, so that their finished outputs stay known.
            if style?.portrait ?? style?.studioLight != nil {
                hash.add("\(style?.portrait ?? 0) \(style?.studioLight ?? 0)".utf8)
            }
        }
        return hash.text
    }

    /// The settings on which an output depends, except for the settings in the plan. The text is the same in every
    /// process.
    var settingsText: String { "product = \(product.rawValue)\n" + configuration.settingsText }
}

extension Configuration {
    /// The settings on which an output depends. The text is the same in every process.
    fileprivate var settingsText: String {
        var lines: [String] = []
        for key in SettingKey.all where !Self.withoutEffect.contains(String(key.table)) {
            if let value = key.read(self) { lines.append("\(key.name) = \(value.toml)") }
        }
        // Settings of the user's own gestures are not in `SettingKey.all`.
        lines += sensitivities.map { "sensitivity \($0.key) = \($0.value)" }.sorted()
        lines += bindings.map { "binding \($0.key) = \($0.value)" }.sorted()
        lines += ownGestures.gestures.map {
            "gesture \($0.gesture) \($0.reactionType) \($0.handCount) \($0.examples)"
        }
        lines += scheduledReactions.map { "reaction \($0)" }
        let input = self.input
        lines += [input.format, input.videoSize, input.pixelFormat, input.frameRate].map { "input = \($0 ?? "")" }
        lines.append("part = \(input.start), \(input.end.map { "\($0)" } ?? "")")
        lines.append("format = \(outputFormat ?? "")")
        lines.append("candidates = \(reportsCandidates), embedded = \(embedsMetadata)")
        lines.append("overlay = \(writesOverlay), chapters = \(writesChapters)")
        lines.append("codec = \(encoding.namesCodec)")
        if let photos = photos { lines.append("photos = \(photos)") }
        let effects = (try? EffectCatalog(resources: resources ?? .located())).map { catalog in
            catalog.hashes(of: catalog.types)
        }
        lines += (effects ?? [:]).map { "effect \($0.key) = \($0.value)" }.sorted()
        return lines.joined(separator: "\n")
    }

    /// The tables of settings that do not change any output, or that ``settingsText`` adds itself.
    private static let withoutEffect: Set = ["output", "input", "hooks"]
}
