import MediaIO

/// Rendering a plan on several machines: each encodes a share of its spans, one puts them between the recording's packets.
extension ReactionSession {
    /// Encodes a share of the spans that a plan makes of its recording, as ``render(_:from:to:observer:)`` would.
    ///
    /// - Parameters:
    ///   - output: the video that they are for; it is not written.
    ///   - file: where the spans go.
    ///   - share: which of the spans.
    ///   - observer: hears how far it is.
    /// - Returns: how many spans were written, and how many there are.
    /// - Throws: ``FlourishError``; ``FlourishError/Code/inputUnusable`` where the whole would be encoded;
    ///   ``FlourishError/Code/interrupted`` where it was stopped before the end.
    package func encodeSpans(
        of plan: ReactionPlan, from input: String, to output: String, file: String, share: RecordingShare,
        observer: SessionObserver
    ) async throws(FlourishError) -> (written: Int, all: Int) {
        let request = try rendering(plan, from: input, to: output, observer: observer)
        if configuration.encoding.smartRender == .never {
            throw .withoutSpans(input, SpliceObstacle("smart rendering is switched off"))
        }
        if let obstacle = SmartRendering.obstacle(request) { throw .withoutSpans(input, obstacle) }
        if let obstacle = try await obstacle(request) { throw .withoutSpans(input, obstacle) }
        let survey = try await survey(of: input, for: plan)
        try begin()
        defer { end() }
        return try await SpanShareRun.start(
            request, survey: survey.video, share: share, key: spansKey(request), to: file, control: control)
    }

    /// A hash of all that spans depend on, and the recording with it.
    func spansKey(_ request: PipelineRequest) throws(FlourishError) -> String {
        let container: ContainerFormat
        do throws(MediaError) {
            container = try ContainerFormat.chosen(request.configuration, path: request.output ?? "")
        } catch {
            throw FlourishError(describing: error)
        }
        var configuration = request.configuration
        // Photographs show the recording as it is, and are taken while spans are joined.
        configuration.photos = nil
        return FlourishVersion(resources: resources).hash(with: [
            configuration.settingsText, request.plan?.json ?? "", "\(container)",
        ])
    }
}

extension SpanFile {
    /// Refuses files that are not those of all shares, each once, as this program would write them.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable``.
    static func check(_ files: [SpanFile], key: String) throws(FlourishError) {
        for file in files where file.header.key != key {
            throw FlourishError(
                .inputUnusable,
                "\(file.name): is of another recording or plan, was made with other options, or by another version of the program"
            )
        }
        try RecordingShare.check(files.map { ($0.name, $0.share) }, of: "--spans")
    }
}
