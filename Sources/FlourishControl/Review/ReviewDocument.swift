import Flourish
import Platform
import Synchronization

/// The plan that is reviewed, and its file. Every change is in the file before anybody hears of it; a change of the file
/// by somebody else is taken up.
actor ReviewDocument {
    /// Why a change was not made.
    enum Refusal: Error {
        /// Somebody else changed the plan meanwhile.
        case outdated
        /// There is no plan that could be changed.
        case notReady
        /// It would make no sense.
        case senseless(String)
        /// It could not be saved; the plan is what it was before.
        case unsaved(String)
    }

    /// What is wrong with the plan's file.
    private struct Fault {
        var kind: String
        var message: String
    }

    /// Where the plan is kept.
    private(set) var path: String
    private let board: ReviewBoard
    /// Knows what reactions there are.
    private let session: ReactionSession
    private(set) var plan: ReactionPlan?
    /// Rises by each change of the plan.
    private(set) var revision = 0
    /// The file as it was read or written last.
    private var stamp: FileStamp?
    /// Whether somebody removed the file.
    private var isGone = false
    private var fault: Fault?
    /// The fingerprint of the recording, once a plan was made for it, or found to be for it.
    private var fingerprint: String?
    private var isChecked: Bool { plan.map { $0.source.fingerprint == fingerprint } ?? true }

    init(path: String, board: ReviewBoard, session: ReactionSession) {
        (self.path, self.board, self.session) = (path, board, session)
        board.tell(.plan, .object(["revision": .integer(0), "hasPlan": .flag(false), "path": .text(path)]))
    }

    // MARK: Beginning

    /// Reads the file, if there is one.
    ///
    /// - Returns: whether there is one, be it usable or not.
    func load() -> Bool {
        guard let found = FileStamp(of: path) else { return false }
        read(found)
        return true
    }

    /// Begins with a plan that was just made, and saves it.
    func begin(with plan: ReactionPlan) throws(Refusal) {
        try save(plan.numbered, replacing: stamp)
        fingerprint = plan.source.fingerprint
        fault = nil
        tell()
    }

    /// A plan of which nobody has made sure yet that it is for the recording.
    var unchecked: ReactionPlan? { isChecked ? nil : plan }

    /// The plan is for the recording.
    func accept(_ plan: ReactionPlan) {
        fingerprint = plan.source.fingerprint
        tell()
    }

    /// Keeps another file from here on, which is not there yet, beside the one that cannot be used.
    func moveBeside() {
        path = Self.free(beside: path)
        (plan, stamp, fault, isGone) = (nil, nil, nil, false)
        tell()
    }

    /// The plan is for another recording, or for none.
    func refuse(_ kind: String, _ message: String) {
        fault = Fault(kind: kind, message: Self.short(message))
        plan = nil
        tell()
    }

    /// The first free one of `call.plan-2.json`, `call.plan-3.json` and so on.
    private static func free(beside path: String) -> String {
        let stem = path.hasSuffix(".json") ? String(path.dropLast(5)) : path
        return (2...).lazy.map { "\(stem)-\($0).json" }.first { FileStamp(of: $0) == nil } ?? path
    }

    // MARK: Changing

    /// Makes a change of somebody who has seen a revision.
    ///
    /// - Returns: the new revision.
    func change(_ patch: PlanPatch, seen: Int) throws(Refusal) -> Int {
        reload()
        guard let plan, fault == nil, isChecked else { throw .notReady }
        guard seen == revision else { throw .outdated }
        let changed: ReactionPlan
        do throws(FlourishError) {
            changed = try plan.patched(by: patch).numbered
            try session.checkTypes(of: changed)
        } catch {
            throw .senseless(Self.short(error.problem))
        }
        if changed != plan { try save(changed, replacing: stamp) }
        tell()
        return revision
    }

    /// Takes up what somebody else did to the file.
    func reload() {
        guard let stamp else { return }
        guard let found = FileStamp(of: path) else {
            if !isGone {
                isGone = true
                tell()
            }
            return
        }
        if found != stamp || isGone { read(found) }
    }

    private func read(_ found: FileStamp) {
        (stamp, isGone) = (found, false)
        do throws(FlourishError) {
            let read = try ReactionPlan(contentsOf: path).numbered
            try session.checkTypes(of: read)
            if read != plan {
                plan = read
                revision += 1
            }
            fault = nil
        } catch {
            // What was shown stays in sight; nothing is written over the file.
            fault = Fault(kind: "unreadable", message: Self.short(error.problem))
        }
        tell()
    }

    private func save(_ plan: ReactionPlan, replacing former: FileStamp?) throws(Refusal) {
        if let now = FileStamp(of: path), now != former { throw .outdated }
        do throws(FileError) {
            stamp = try TemporaryFile.write([UInt8](plan.json.utf8), to: path, overwrite: true)
        } catch {
            throw .unsaved(FlourishError(error).problem)
        }
        isGone = false
        self.plan = plan
        revision += 1
    }

    /// What is wrong, without the advice for who works on the command line.
    private static func short(_ message: String) -> String {
        message.firstRange(of: "; ").map { String(message[..<$0.lowerBound]) } ?? message
    }

    private func tell() {
        board.tell(
            .plan,
            .object([
                "revision": .integer(revision), "path": .text(path), "hasPlan": .flag(plan != nil),
                "isGone": .flag(isGone),
                "fault": fault.map { .object(["kind": .text($0.kind), "message": .text($0.message)]) } ?? .null,
                "besidePath": fault == nil ? .null : .text(Self.free(beside: path)),
            ]))
    }
}

/// Gets the plan that is reviewed: looks through the recording, or makes sure that the plan beside it is for it. Tells
/// where that stands.
final class PlanMaking: Sendable {
    private let input: String
    private let configuration: Configuration
    private let board: ReviewBoard
    private let session = Mutex<ReactionSession?>(nil)
    private let hasChanged = Atomic(false)

    init(_ input: String, _ configuration: Configuration, board: ReviewBoard) {
        self.input = input
        self.configuration = configuration
        self.board = board
        tell("opening")
    }

    /// Looks through the recording and gives the document its first plan.
    func make(_ document: ReviewDocument) async {
        let session = begin()
        let pace = ProgressPace(board, .status)
        let start = ContinuousClock.now
        tell("planning", ["fraction": .number(0)])
        let observer = SessionObserver(progress: { [self] step in
            let elapsed = (ContinuousClock.now - start) / .seconds(1)
            let remaining = step.fraction.flatMap { $0 > 0.02 ? elapsed * (1 - $0) / $0 : nil }
            pace.tell(
                status(
                    "planning",
                    [
                        "fraction": step.fraction.map { .number($0) } ?? .null, "effects": .integer(step.effects),
                        "remainingSeconds": remaining.map { .number($0) } ?? .null,
                    ]))
        })
        do {
            try await document.begin(with: try await session.planning(input, observer: observer).plan)
            tell("ready")
        } catch let error as FlourishError {
            if error.code != .interrupted { tell("failed", ["message": .text(error.problem)]) }
        } catch ReviewDocument.Refusal.unsaved(let message) {
            tell("failed", ["message": .text(message)])
        } catch {
            tell("failed", ["message": .text("somebody else made a plan meanwhile; open the review again")])
        }
    }

    /// Makes sure that the document's plan is for the recording.
    func check(_ document: ReviewDocument) async {
        tell("checking")
        if let plan = await document.unchecked {
            do throws(FlourishError) {
                try await begin().check(plan, isFor: input)
                await document.accept(plan)
            } catch {
                await document.refuse("otherRecording", error.problem)
            }
        }
        tell("ready")
    }

    /// Notes that the recording is not what it was.
    func noteChange() {
        guard !hasChanged.exchange(true, ordering: .relaxed) else { return }
        guard case .object(var fields) = board[.status] else { return }
        fields["hasChanged"] = .flag(true)
        board.tell(.status, .object(fields))
    }

    /// Ends it early.
    func stop() { session.withLock { $0?.stop() } }

    private func begin() -> ReactionSession {
        let fresh = ReactionSession(configuration: configuration)
        session.withLock { $0 = fresh }
        return fresh
    }

    private func tell(_ phase: String, _ fields: [String: ControlValue] = [:]) {
        board.tell(.status, status(phase, fields))
    }

    private func status(_ phase: String, _ fields: [String: ControlValue]) -> ControlValue {
        let changed = hasChanged.load(ordering: .relaxed)
        return .object(fields.merging(["phase": .text(phase), "hasChanged": .flag(changed)]) { $1 })
    }
}
