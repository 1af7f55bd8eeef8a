import Effects
import MediaIO

/// Planning a long recording on several machines: each looks quickly through a share of it, one joins what they found.
extension ReactionSession {
    /// Looks quickly through a share of a recording.
    ///
    /// - Parameters:
    ///   - input: a file.
    ///   - share: which of its segments are looked through.
    ///   - observer: hears how far it is.
    /// - Throws: ``FlourishError``; ``FlourishError/Code/interrupted`` where it was stopped before the end.
    package func scan(
        _ input: String, share: RecordingShare, observer: SessionObserver
    ) async throws(FlourishError) -> PartialScan {
        guard RecordedFile.size(of: input) != nil else {
            throw FlourishError(
                .usage, "\(input): a plan is for a recording that can be read again; save it to a file first")
        }
        try begin()
        defer { end() }
        let request = PipelineRequest(
            input: input, configuration: configuration, resources: resources, observer: observer)
        let scan = try await blocking { [control] () throws(FlourishError) in
            try RecordingScan(request: request, control: control).run(share)
        }
        guard let scan else {
            throw FlourishError(.interrupted, "\(input): stopped before its end; nothing was written")
        }
        return PartialScan(scan, share: share, recognition: recognition)
    }

    /// The request with what was found in all shares of its recording.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable`` where shares are missing, or of another recording.
    func joined(_ request: PipelineRequest, _ scans: [PartialScan]) async throws(FlourishError) -> PipelineRequest {
        try PartialScan.check(scans, recognition: recognition)
        _ = try EffectCatalog(resources: request.resources, checking: request.configuration)
        guard let known = PartialScan.stretches(of: scans) else { return request }
        var joined = request
        joined.scan = try await blocking { [control, request] () throws(FlourishError) in
            try RecordingScan(request: request, control: control, known: known).run()
        }
        if let scan = joined.scan { try PartialScan.refuse(scans, unlessOf: scan.recording.fingerprint) }
        return joined
    }

    /// A hash of all that a scan depends on, beside the recording.
    private var recognition: String {
        FlourishVersion(resources: resources).hash(with: [
            "\(configuration.gesturesEnabled)", "\(configuration.hold)", configuration.ownGestures.json,
        ])
    }
}

extension FlourishVersion {
    /// A hash of what machines must have in common to come to the same results, and of what else those depend on.
    func hash(with others: [String]) -> String {
        var hash = ContentHash()
        for part in [version, assets ?? "", ffmpeg["libavcodec"] ?? "", liteRT ?? ""] + others {
            hash.add(Array(part.utf8))
            hash.add([UInt8(0)])
        }
        return hash.text
    }
}
