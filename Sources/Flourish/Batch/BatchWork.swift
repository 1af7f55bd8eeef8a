import MediaIO
import Pipeline
import Platform
import Synchronization

/// Processes one recording of a batch, whose output is already claimed: runs a session, appends to the journal and
/// publishes the output.
struct BatchWork: Sendable {
    let run: BatchRun
    let item: BatchItem
    let job: BatchPlanner.Job
    let folder: BatchFolder
    let tally: BatchTally

    private var output: BatchPath { folder.path.appending(item.output) }

    /// Processes the recording. The output stays in the run's folder until it is complete.
    func result(_ observer: BatchObserver) async -> BatchResult {
        if RawFile.isBeingWritten(item.input.bytes) == true { return made(.skipped, "is still being written") }
        guard item.isUnchanged else { return made(.skipped, "has changed since it was found; it may still be written") }
        guard let work = folder.work else { return made(.open) }
        // The temporary file keeps the extension, from which the container follows.
        let name = item.output[(item.output.lastIndex(of: RawFile.slash).map { $0 + 1 } ?? 0)...]
        let ending = name.dropFirst().lastIndex(of: RawFile.dot).map { name[$0...] } ?? []
        let isPlain = ending.dropFirst().allSatisfy { (48...57).contains($0) || (97...122).contains($0 | 32) }
        let file = work.appending(Array("\(item.index)".utf8) + (isPlain ? ending : []))
        tally.begin(item, output: output)
        let start = ContinuousClock.now
        var result = await attempt(file, observer)
        result.workSeconds = (ContinuousClock.now - start) / .seconds(1)
        if result.state != .done { RawFile.remove(file.bytes) }
        return result
    }

    private func attempt(_ file: BatchPath, _ observer: BatchObserver) async -> BatchResult {
        let raw: RawInput
        do { raw = try RawInput(item.input) } catch { return made(.failed, "cannot be read (\(error.message))") }
        let fileText = folder.address(of: file)
        do throws(FlourishError) {
            let damage = InterruptFlag()
            let reactions = try await session(raw, fileText, observer.noting(damage))
            if run.isStopped { return brokenOff }
            guard item.isUnchanged else { return made(.skipped, "changed while it was read; try again later") }
            var result = try await finish(file)
            (result.reactions, result.isDamaged) = (reactions, damage.isRaised)
            return result
        } catch {
            return failed(error, raw, fileText)
        }
    }

    // MARK: Working

    /// Runs the session.
    ///
    /// - Returns: The number of shown reactions.
    private func session(
        _ raw: RawInput, _ file: String, _ observer: BatchObserver
    ) async throws(FlourishError) -> Int {
        var configuration = run.request.configuration
        var resources = configuration.resources ?? .located()
        resources.shared = run.shared
        configuration.resources = resources
        // The output is the run's own file, but photographs may replace existing files.
        configuration.photoReplacement = configuration.overwrite ? .all : .own
        configuration.overwrite = true
        configuration.keepsPartialOutput = true
        if run.request.product == .video,
            let container = try? ContainerFormat.chosen(configuration, path: output.rawText)
        {
            configuration.chooseCodec(for: container)
        }
        if let photos = configuration.photos?.folder { choosePhotoFolder(photos, &configuration) }
        let session = ReactionSession(configuration: configuration)
        run.add(session, item.index)
        defer { run.remove(item.index) }
        let log: EventLog? = run.request.product == .events ? try EventLog(path: file) : nil
        let sessionObserver = SessionObserver(
            event: { [item] event in
                var event = event
                switch event.kind {
                case .streamStarted(var stream):
                    stream.input = raw.name
                    event.kind = .streamStarted(stream)
                case .warning(let code, let message):
                    event.kind = .warning(code: code, message: named(message, raw, file))
                default: break
                }
                log?.write(event)
                observer.event?(item.input, event)
            },
            progress: { [tally, item] in tally.step(item, $0) })
        switch run.request.product {
        case .video:
            let outcome =
                if let plan = job.plan {
                    try await session.render(plan, from: raw.address, to: file, observer: sessionObserver)
                } else {
                    try await session.filter(raw.address, to: file, observer: sessionObserver)
                }
            return outcome.summary.effects.values.reduce(0, +)
        case .plan:
            var plan = try await session.plan(raw.address, observer: sessionObserver)
            plan.source.path = raw.name
            try plan.write(to: file, overwrite: true)
            return plan.reactions.count(where: \.isEnabled)
        case .events:
            let outcome = try await session.detect(raw.address, observer: sessionObserver)
            try log?.check()
            return outcome.summary.effects.values.reduce(0, +)
        }
    }

    /// Sets the folder and the names of photographs, which are derived from the names of outputs. Names keep their
    /// extension, because recordings may differ only in the extension.
    private func choosePhotoFolder(_ folder: String, _ configuration: inout Configuration) {
        let path = item.output.split(separator: RawFile.slash).map { RawName.text(Array($0)) }
        configuration.photos?.folder = ([folder] + path.dropLast()).joined(separator: "/")
        configuration.photos?.stem = path.last
    }

    // MARK: Finishing

    /// Records the finished file, and gives it its name. The record is written first: a record without a file is
    /// ignored, but a file without a record would count as the file of another program.
    private func finish(_ file: BatchPath) async throws(FlourishError) -> BatchResult {
        let end = await StageThread.run { () throws(RawFileError) -> Int in
            let bytes = try RawFile.status(file.bytes).get().size
            // An edited plan may have the same size as before.
            let digest =
                run.request.product == .plan
                ? try FileFingerprint.of(file.bytes, interrupt: run.interruptFlag) : nil
            try record(.done, bytes: bytes, digest: digest)
            if let slash = item.output.lastIndex(of: RawFile.slash) {
                try RawFile.makeFolder(folder.path.appending(Array(item.output[..<slash])).bytes)
            }
            try RawFile.publish(file.bytes, as: output.bytes, replaces: job.replaces)
            return bytes
        }
        switch end {
        case .success(let bytes):
            var result = made(.done)
            result.bytes = bytes
            return result
        case .failure(let error):
            let isFull = error.number == ENOSPC || error.number == EDQUOT
            var failure = FlourishError(
                isFull ? .inputOutput : .outputUnavailable, "\(output): cannot be written (\(error.message))")
            failure.isDiskFull = isFull
            throw failure
        }
    }

    /// Appends a record to the journal.
    private func record(
        _ state: JournalRecord.State, bytes: Int? = nil, digest: String? = nil, reason: String? = nil
    ) throws(RawFileError) {
        let fingerprint: String =
            if let known = job.fingerprint {
                known
            } else {
                try FileFingerprint.of(item.input.bytes, interrupt: run.interruptFlag) ?? ""
            }
        let record = JournalRecord(
            output: RawName.text(item.output), state: state, source: item.input.absolute.rawText,
            size: item.status.size, modified: item.status.modified, fingerprint: fingerprint, settings: job.settings,
            bytes: bytes, digest: digest, reason: reason)
        let status = folder.journal?.add(record) ?? 0
        guard status == 0 else { throw RawFileError(number: status) }
    }

    /// Returns a message with the names of the recording and its output in place of the paths that the session uses.
    private func named(_ message: String, _ raw: RawInput, _ file: String) -> String {
        raw.named(message).replacing(file, with: output.description)
    }

    private func failed(_ error: FlourishError, _ raw: RawInput, _ file: String) -> BatchResult {
        if error.code == .interrupted || run.isStopped { return brokenOff }
        var words = raw.named(error.problem)
        for prefix in ["\(raw.name): ", "\(file): "] where words.hasPrefix(prefix) {
            words = String(words.dropFirst(prefix.count))
        }
        words = named(words, raw, file)
        if error.isDiskFull {
            var failure = FlourishError(
                .inputOutput, "\(folder.path): the disk is full; free some space and start again")
            failure.isDiskFull = true
            run.fail(with: failure)
        } else if !error.isLimit, error.code == .inputUnusable || error.code == .internal {
            // Only a defect of the recording itself is recorded: it would recur, so later batches skip the recording.
            try? record(.failed, reason: words)
        }
        var result = made(.failed, words)
        result.remedy = error.remedy
        return result
    }

    /// The result of a recording that is in progress when the batch is stopped.
    private var brokenOff: BatchResult {
        var result = made(.open)
        result.isInterrupted = true
        return result
    }

    private func made(_ state: BatchResult.State, _ reason: String? = nil) -> BatchResult {
        BatchResult(item.input, output, state, reason)
    }
}

extension BatchObserver {
    /// Returns the observer, which also raises a flag if a part of the recording cannot be read.
    fileprivate func noting(_ damage: InterruptFlag) -> BatchObserver {
        var observer = self
        observer.event = { input, event in
            if case .warning(.damagedInput, _) = event.kind { damage.raise() }
            self.event?(input, event)
        }
        return observer
    }
}
