import FoundationEssentials
import MediaIO
import Platform

/// Says what is to be done with a recording, by its output and the journal.
struct BatchJudge: Sendable {
    enum Verdict: Sendable {
        /// It is to be worked on.
        case work(Order)
        /// There is nothing to do.
        case settled(BatchResult)
    }

    /// What is needed to work on a recording, and to note it.
    struct Order: Sendable {
        /// The recording's hash, where it had to be computed already.
        var fingerprint: String?
        var settings: String
        var plan: ReactionPlan?
        /// Whether the output takes the place of another file.
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

    /// Whether the journal knows the recording as it is, and there is nothing to do, so that it need not be opened.
    func knows(_ item: BatchItem) -> Bool {
        guard let record = folder.journal?[RawName.text(item.output)], record.isMade(of: item),
            case .success(let order) = order(for: item), record.settings == order.settings
        else { return false }
        return record.state == .failed ? !request.retriesFailed : isThere(record, item)
    }

    /// - Throws: `RawFileError` where the recording cannot be read.
    func verdict(on item: BatchItem) throws(RawFileError) -> Verdict {
        let output = folder.path.appending(item.output)
        func settled(_ state: BatchResult.State, _ reason: String) -> Verdict {
            .settled(BatchResult(item.input, output, state, reason))
        }
        let existing = try? RawFile.status(output.bytes).get()
        if let existing, existing.isSame(as: item.status) {
            return settled(.failed, "its output would take its own place; choose another name or folder for outputs")
        }
        if existing?.kind == .folder { return settled(.failed, "a folder has the output's name, \(output)") }
        var order: Order
        switch self.order(for: item) {
        case .success(let made): order = made
        case .failure(let error): return .settled(BatchResult(item.input, output, .failed, error.problem))
        }
        let record = folder.journal?[RawName.text(item.output)]
        if let record, existing != nil, isThere(record, item) {
            let isSame = try isSame(item, record, &order)
            if isSame, record.settings == order.settings {
                var result = BatchResult(item.input, output, .skipped, "was done before")
                result.isFromBefore = true
                result.bytes = record.bytes
                return .settled(result)
            }
            if !isSame, RawName.bytes(record.source) != item.input.absolute.bytes,
                case .success = RawFile.status(RawName.bytes(record.source))
            {
                let other = BatchPath(argument: record.source)
                return settled(.failed, "\(output) was made of \(other); choose another name or folder for outputs")
            }
            order.replaces = true
        } else if existing != nil {
            guard request.configuration.overwrite else { return .settled(kept(item, output, record)) }
            order.replaces = true
        }
        if let record, record.state == .failed, !request.retriesFailed, record.settings == order.settings,
            try isSame(item, record, &order)
        {
            var result = BatchResult(item.input, output, .failed, record.reason)
            result.isFromBefore = true
            return .settled(result)
        }
        return .work(order)
    }

    /// What becomes of a recording whose output's name belongs to a file that is not replaced.
    private func kept(_ item: BatchItem, _ output: BatchPath, _ record: JournalRecord?) -> BatchResult {
        // Whoever edits a plan wants it as it is.
        let isEdited = request.product == .plan && record?.state == .done
        var result =
            isEdited
            ? BatchResult(
                item.input, output, .skipped, "\(output) was changed since it was written, and stays as it is")
            : BatchResult(item.input, output, .failed, "\(output) exists already")
        result.remedy = .overwriting
        return result
    }

    /// What an earlier run made is there as long as a file of its size is, and of what people edit one of its bytes.
    private func isThere(_ record: JournalRecord, _ item: BatchItem) -> Bool {
        guard record.state == .done,
            case .success(let status) = RawFile.status(folder.path.appending(item.output).bytes)
        else { return false }
        guard status.kind == .file, status.size == record.bytes else { return false }
        guard let digest = record.digest else { return true }
        return (try? FileFingerprint.of(folder.path.appending(item.output).bytes, interrupt: interrupt)) == digest
    }

    /// Whether a record tells of this very recording; only where its times disagree it is read.
    private func isSame(
        _ item: BatchItem, _ record: JournalRecord, _ order: inout Order
    ) throws(RawFileError) -> Bool {
        if record.isMade(of: item) {
            order.fingerprint = record.fingerprint
            return true
        }
        guard record.size == item.status.size else { return false }
        if order.fingerprint == nil {
            order.fingerprint = try FileFingerprint.of(item.input.bytes, interrupt: interrupt)
        }
        return order.fingerprint == record.fingerprint
    }

    /// What is asked for of a recording.
    private func order(for item: BatchItem) -> Result<Order, FlourishError> {
        guard let plans = request.plans else {
            return .success(Order(settings: BatchRequest.settingsHash(settings)))
        }
        let slash = item.output.lastIndex(of: RawFile.slash).map { $0 + 1 } ?? 0
        let path = plans.appending(item.output[..<slash] + NameTemplate.plan.name(for: item.input.name))
        do throws(FlourishError) {
            guard let bytes = NamedFile.bytes(at: path.bytes) else {
                throw FlourishError(.inputUnavailable, "there is no plan of it, \(path)")
            }
            var plan = try ReactionPlan(json: bytes, name: path.description)
            try request.restyle?(&plan.style)
            let hash = BatchRequest.settingsHash(settings, plan: bytes, style: request.configuration.held(plan.style))
            return .success(Order(settings: hash, plan: plan))
        } catch {
            return .failure(error)
        }
    }
}

extension JournalRecord {
    /// Whether size, time and path of a recording are those that were noted.
    func isMade(of item: BatchItem) -> Bool {
        size == item.status.size && modified == item.status.modified && source == item.input.absolute.rawText
    }
}
