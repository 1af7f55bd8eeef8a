import FoundationEssentials
import MediaIO
import Platform

/// Decides, from the output and the journal of the output folder, whether a recording must be processed. The planner
/// writes nothing.
struct BatchPlanner: Sendable {
    enum Decision: Sendable {
        /// The recording must be processed.
        case work(Job)
        /// The result is known, so the recording need not be processed.
        case settled(BatchResult)
    }

    /// The data for processing a recording, and for the journal's entry.
    struct Job: Sendable {
        /// The recording's hash, if it is already computed.
        var fingerprint: String?
        /// A hash of the settings and the plan.
        var settings: String
        var plan: ReactionPlan?
        /// True if the output replaces another file.
        var replaces = false
    }

    let request: BatchRequest
    let folder: BatchFolder
    let interrupt: InterruptFlag
    private let settings: String

    init(request: BatchRequest, folder: BatchFolder, interrupt: InterruptFlag) {
        self.request = request
        self.folder = folder
        self.interrupt = interrupt
        settings = request.settingsText
    }

    /// Returns whether the journal has a result of the recording with the current settings, so that the recording need
    /// not be opened.
    func knows(_ item: BatchItem) -> Bool {
        guard let record = folder.journal?[RawName.text(item.output)], record.isMade(of: item),
            case .success(let job) = job(for: item), record.settings == job.settings
        else { return false }
        return record.state == .failed ? !request.retriesFailed : exists(record, item)
    }

    /// Decides about a recording.
    ///
    /// - Throws: `RawFileError` if the recording cannot be read.
    func decision(for item: BatchItem) throws(RawFileError) -> Decision {
        let output = folder.path.appending(item.output)
        func settled(_ state: BatchResult.State, _ reason: String) -> Decision {
            .settled(BatchResult(item.input, output, state, reason))
        }
        let existing = try? RawFile.status(output.bytes).get()
        if let existing, existing.isSame(as: item.status) {
            return settled(
                .failed, "its output would overwrite the recording; choose another name or folder for outputs")
        }
        if existing?.kind == .folder { return settled(.failed, "the output, \(output), is a folder") }
        var job: Job
        switch self.job(for: item) {
        case .success(let made): job = made
        case .failure(let error): return .settled(BatchResult(item.input, output, .failed, error.problem))
        }
        let record = folder.journal?[RawName.text(item.output)]
        if let record, existing != nil, exists(record, item) {
            let isSame = try isSame(item, record, &job)
            if isSame, record.settings == job.settings {
                var result = BatchResult(item.input, output, .skipped, "finished in an earlier run")
                result.isFromBefore = true
                result.bytes = record.bytes
                return .settled(result)
            }
            if !isSame, RawName.bytes(record.source) != item.input.absolute.bytes,
                case .success = RawFile.status(RawName.bytes(record.source))
            {
                let other = BatchPath(argument: record.source)
                return settled(
                    .failed, "\(output) is the output of \(other); choose another name or folder for outputs")
            }
            job.replaces = true
        } else if existing != nil {
            guard request.configuration.overwrite else { return .settled(kept(item, output, record)) }
            job.replaces = true
        }
        if let record, record.state == .failed, !request.retriesFailed, record.settings == job.settings,
            try isSame(item, record, &job)
        {
            var result = BatchResult(item.input, output, .failed, record.reason)
            result.isFromBefore = true
            return .settled(result)
        }
        return .work(job)
    }

    /// Returns the result for a recording whose output exists and must not be replaced.
    private func kept(_ item: BatchItem, _ output: BatchPath, _ record: JournalRecord?) -> BatchResult {
        // A plan that a user has edited is kept, and this is no error.
        let isEdited = request.product == .plan && record?.state == .done
        var result =
            isEdited
            ? BatchResult(
                item.input, output, .skipped, "\(output) has changed since it was written, and is kept")
            : BatchResult(item.input, output, .failed, "\(output) exists already")
        result.remedy = .overwriting
        return result
    }

    /// Returns whether the output of an earlier run exists. The file must have the recorded size and, if it is a plan,
    /// the recorded bytes.
    private func exists(_ record: JournalRecord, _ item: BatchItem) -> Bool {
        guard record.state == .done,
            case .success(let status) = RawFile.status(folder.path.appending(item.output).bytes)
        else { return false }
        guard status.kind == .file, status.size == record.bytes else { return false }
        guard let digest = record.digest else { return true }
        return (try? FileFingerprint.of(folder.path.appending(item.output).bytes, interrupt: interrupt)) == digest
    }

    /// Returns whether a record belongs to the recording. If only the size matches, but not the path or the
    /// modification time, compares hashes, for which the recording is read once.
    private func isSame(
        _ item: BatchItem, _ record: JournalRecord, _ job: inout Job
    ) throws(RawFileError) -> Bool {
        if record.isMade(of: item) {
            job.fingerprint = record.fingerprint
            return true
        }
        guard record.size == item.status.size else { return false }
        if job.fingerprint == nil {
            job.fingerprint = try FileFingerprint.of(item.input.bytes, interrupt: interrupt)
        }
        return job.fingerprint == record.fingerprint
    }

    /// Returns the settings and the plan for a recording.
    private func job(for item: BatchItem) -> Result<Job, FlourishError> {
        guard let plans = request.plans else {
            return .success(Job(settings: BatchRequest.settingsHash(settings)))
        }
        let slash = item.output.lastIndex(of: RawFile.slash).map { $0 + 1 } ?? 0
        let path = plans.appending(item.output[..<slash] + NameTemplate.plan.name(for: item.input.name))
        do throws(FlourishError) {
            guard let bytes = NamedFile.bytes(at: path.bytes) else {
                throw FlourishError(.inputUnavailable, "its plan, \(path), does not exist")
            }
            var plan = try ReactionPlan(json: bytes, name: path.description)
            try request.restyle?(&plan.style)
            let hash = BatchRequest.settingsHash(settings, plan: bytes, style: request.configuration.held(plan.style))
            return .success(Job(settings: hash, plan: plan))
        } catch {
            return .failure(error)
        }
    }
}

extension JournalRecord {
    /// Returns whether a recording has the recorded size, modification time and path.
    func isMade(of item: BatchItem) -> Bool {
        size == item.status.size && modified == item.status.modified && source == item.input.absolute.rawText
    }
}
