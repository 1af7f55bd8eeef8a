import Effects
import MediaIO
import Pipeline
import Platform

/// What is to be done with many recordings.
///
/// ```swift
/// var request = BatchRequest(["calls"], into: "reacted")
/// request.isRecursive = true
/// let report = try await BatchRun(request).run()
/// print(report.results.count { $0.state == .failed })
/// ```
public struct BatchRequest: Sendable {
    /// What is made of each recording.
    public enum Product: String, Sendable, Hashable, CaseIterable {
        /// The video again, with reactions over it.
        case video
        /// A ``ReactionPlan``.
        case plan
        /// Events, as JSON Lines.
        case events
    }

    /// Recordings, and folders with recordings.
    public var inputs: [BatchPath]
    /// The folder in which outputs lie as inputs do in theirs. It is made where it is missing.
    public var outputFolder: BatchPath
    /// What is made of each.
    public var product = Product.video
    /// Whether folders in folders are looked through, too.
    public var isRecursive = false
    /// How many recordings are worked on at once; as many as keep the cores busy if `nil`. Never more than there is memory
    /// for.
    public var jobs: Int?
    /// How outputs are called; by default as the inputs are, with `.plan.json` for plans and `.jsonl` for events.
    public var name: NameTemplate?
    /// Whether what failed before is tried again, although neither the recording nor what is asked for changed.
    public var retriesFailed = false
    /// A folder with the plans of the recordings, where a batch of plans put them; what gestures ask for is shown if `nil`.
    public var plans: BatchPath?
    /// How the plans' reactions look, where that is not what the plans say.
    package var restyle: (@Sendable (inout ReactionPlan.Style) throws(FlourishError) -> Void)?
    /// How each is recognised, shown and encoded.
    public var configuration: Configuration

    /// A request to filter recordings.
    public init(_ inputs: [String], into outputFolder: String, configuration: Configuration = Configuration()) {
        self.init(inputs.map { BatchPath($0) }, into: BatchPath(outputFolder), configuration: configuration)
    }

    /// The same with paths in any bytes.
    public init(_ inputs: [BatchPath], into outputFolder: BatchPath, configuration: Configuration = Configuration()) {
        self.inputs = inputs
        self.outputFolder = outputFolder
        self.configuration = configuration
    }

    /// How outputs are called.
    var template: NameTemplate {
        if let name { return name }
        return switch product {
        case .video: .same
        case .plan: .plan
        case .events: .events
        }
    }
}

/// Validates a batch request: an error that would fail every recording is reported once.
extension BatchRequest {
    /// Rejects settings that are invalid for every recording.
    ///
    /// - Throws: ``FlourishError``, most of the code ``FlourishError/Code/usage``.
    func check() throws(FlourishError) {
        try configuration.validate()
        if configuration.isLive { throw FlourishError(.usage, "a batch is of recordings; leave live out") }
        if product == .video, configuration.outputFormat == nil, !configuration.writesOverlay {
            try name?.checkIsOfVideo()
        }
        if inputs.isEmpty { throw FlourishError(.usage, "there is no input; name recordings or folders") }
        let resources = configuration.resources ?? .located()
        _ = try EffectCatalog(resources: resources, checking: configuration)
        if let message = InputSettings(configuration, address: "").fileFault { throw FlourishError(.usage, message) }
        if product == .video, configuration.encoding.smartRender == .always, !configuration.writesOverlay,
            let option = RunRoute.Facts.encoderOption(configuration.encoding)
        {
            throw FlourishError(
                .usage, "no recording can be rendered smartly: \(option) is for the whole video",
                remedy: .encodingTheWhole)
        }
    }

    /// Refuses an encoding that none of the outputs can have.
    ///
    /// - Parameter outputs: The paths of the outputs from the output folder.
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

    /// The reason why an output cannot be encoded as asked for; `nil` if it can.
    private func fault(of output: String) -> String? {
        do throws(MediaError) {
            let container = try ContainerFormat.chosen(configuration, path: output)
            if configuration.writesOverlay {
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
    /// Sets the codec that a container takes, unless one is named.
    mutating func chooseCodec(for container: ContainerFormat) {
        if !encoding.namesCodec, !container.takesH264 { encoding.codec = .vp9 }
    }
}

extension BatchRequest {
    /// A hash of everything beside the recording that an output depends on.
    ///
    /// - Parameters:
    ///   - text: ``settingsText``, which takes some milliseconds.
    ///   - plan: the plan's text, where there is one.
    ///   - style: how it looks.
    static func settingsHash(_ text: String, plan: [UInt8]? = nil, style: ReactionPlan.Style? = nil) -> String {
        var hash = ContentHash()
        hash.add(text.utf8)
        if let plan {
            hash.add(plan)
            hash.add("\(style?.look ?? ReactionStyle()) \(style?.seed ?? 0)".utf8)
        }
        return hash.text
    }

    /// Everything beside the recording and its plan that an output depends on, the same in every process.
    var settingsText: String { "product = \(product.rawValue)\n" + configuration.settingsText }
}

extension Configuration {
    /// The settings that an output depends on, the same in every process.
    fileprivate var settingsText: String {
        var lines: [String] = []
        for key in SettingKey.all where !Self.withoutEffect.contains(String(key.table)) {
            if let value = key.read(self) { lines.append("\(key.name) = \(value.toml)") }
        }
        // Settings of gestures of one's own have no keys of their own.
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
        lines.append("candidates = \(tellsCandidates), embedded = \(embedsMetadata)")
        lines.append("overlay = \(writesOverlay)")
        lines.append("codec = \(encoding.namesCodec)")
        if let photos = photos { lines.append("photos = \(photos)") }
        let effects = (try? EffectCatalog(resources: resources ?? .located())).map { catalog in
            catalog.hashes(of: catalog.types)
        }
        lines += (effects ?? [:]).map { "effect \($0.key) = \($0.value)" }.sorted()
        return lines.joined(separator: "\n")
    }

    /// Tables of settings that change no output, or are told below.
    private static let withoutEffect: Set = ["output", "input"]
}

/// How outputs are called after their inputs: text with placeholders, such as `{stem}-reacted{ext}`.
///
/// - `{stem}`: the input's name without its ending.
/// - `{ext}`: its ending with the dot; `.mkv` of a video that cannot be written into the container that its name says.
/// - `{name}`: the whole name.
public struct NameTemplate: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case text(String)
        case stem, ending, name
    }

    private let parts: [Part]

    /// Reads a template.
    ///
    /// - Throws: ``FlourishError/Code/usage`` for unknown placeholders, folders, and what is the same for all inputs.
    public init(_ text: String) throws(FlourishError) {
        if text.contains("/") {
            throw FlourishError(.usage, "\(text): a name holds no /; folders stay as they are")
        }
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw FlourishError(.usage, "\(text): a } is missing; write {stem}, {ext} or {name}")
            }
            switch rest[rest.index(after: open)..<close] {
            case "stem": parts.append(.stem)
            case "ext": parts.append(.ending)
            case "name": parts.append(.name)
            case let word:
                throw FlourishError(.usage, "\(text): there is no {\(word)}; there are {stem}, {ext} and {name}")
            }
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        guard parts.contains(.stem) || parts.contains(.name) else {
            throw FlourishError(.usage, "\(text): all outputs would have one name; write {stem} or {name} into it")
        }
        self.parts = parts
    }

    private init(_ parts: [Part]) { self.parts = parts }

    /// The input's own name.
    public static let same = NameTemplate([.stem, .ending])

    /// As it was written.
    var text: String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .stem: "{stem}"
            case .ending: "{ext}"
            case .name: "{name}"
            }
        }.joined()
    }

    /// Makes sure that names end in a kind of video that can be written.
    func checkIsOfVideo() throws(FlourishError) {
        let example = RawName.text(name(for: Array("x.mp4".utf8)))
        guard ContainerFormat(path: example) == nil else { return }
        let known = ContainerFormat.extensions.map { "." + $0 }.joined(separator: ", ")
        throw FlourishError(
            .usage, "\(text): names must end in the kind of file to write: {ext}, or one of \(known)")
    }

    static let plan = NameTemplate([.stem, .text(".plan.json")])
    static let events = NameTemplate([.stem, .text(".jsonl")])

    /// The output's name for an input's, both in bytes.
    func name(for input: [UInt8]) -> [UInt8] {
        // A name that begins with a dot has no ending by that.
        let dot = input.dropFirst().lastIndex(of: RawFile.dot) ?? input.endIndex
        let (stem, ending) = (input[..<dot], input[dot...])
        return parts.flatMap { part -> [UInt8] in
            switch part {
            case .text(let text): Array(text.utf8)
            case .stem: Array(stem)
            case .ending: Self.writable(Array(ending))
            case .name: input
            }
        }
    }

    /// The ending, or that of the container which holds everything.
    private static func writable(_ ending: [UInt8]) -> [UInt8] {
        let text = String(validating: ending, as: UTF8.self)
        return text.flatMap { ContainerFormat(path: "x" + $0) } == nil ? Array(".mkv".utf8) : ending
    }
}
