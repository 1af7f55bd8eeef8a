import Flourish
import Platform

/// The reviewed plan and its file. A page's change is saved in the file, and then published on the board. Changes of
/// the file by other programs are loaded.
actor ReviewDocument {
    /// The reason for refusing a change.
    enum Refusal: Error {
        /// Another page or program has changed the plan in the meantime.
        case outdated
        /// There is no plan to change.
        case notReady
        /// The change is invalid.
        case invalid(String)
        /// The change could not be saved; the plan is unchanged.
        case unsaved(String)
    }

    /// A fault of the plan's file.
    private struct Fault {
        var kind: String
        var message: String
    }

    /// The path of the plan's file.
    private(set) var path: String
    private let board: ReviewBoard
    /// The session that provides the types of reactions.
    private let session: ReactionSession
    private(set) var plan: ReactionPlan?
    /// The number of changes of the plan so far.
    private(set) var revision = 0
    /// The file as it was last read or written.
    private var stamp: FileStamp?
    /// True if another program removed the file.
    private var isGone = false
    private var fault: Fault?
    /// The fingerprint of the recording, set when a plan was made or verified for it.
    private var fingerprint: String?
    private var isChecked: Bool { plan.map { $0.source.fingerprint == fingerprint } ?? true }

    init(path: String, board: ReviewBoard, session: ReactionSession) {
        (self.path, self.board, self.session) = (path, board, session)
        board.publish(.plan, .object(["revision": .integer(0), "hasPlan": .flag(false), "path": .text(path)]))
    }

    // MARK: Beginning

    /// Reads the file.
    ///
    /// - Returns: A Boolean value that indicates whether the file exists, whether or not it is usable.
    func load() -> Bool {
        guard let found = FileStamp(of: path) else { return false }
        read(found)
        return true
    }

    /// Saves a new plan as the first revision.
    func begin(with plan: ReactionPlan) throws(Refusal) {
        try save(plan.numbered, replacing: stamp)
        fingerprint = plan.source.fingerprint
        fault = nil
        publish()
    }

    /// The plan, if it is not yet verified that it belongs to the recording.
    var unchecked: ReactionPlan? { isChecked ? nil : plan }

    /// Marks a plan as one that belongs to the recording.
    func accept(_ plan: ReactionPlan) {
        fingerprint = plan.source.fingerprint
        publish()
    }

    /// Switches to a new file next to the unusable one.
    func moveBeside() {
        path = Self.free(beside: path)
        (plan, stamp, fault, isGone) = (nil, nil, nil, false)
        publish()
    }

    /// Drops the plan, because it is for another recording or the recording cannot be read, and publishes this fault.
    func refuse(_ kind: String, _ message: String) {
        fault = Fault(kind: kind, message: Self.short(message))
        plan = nil
        publish()
    }

    /// Returns the first unused path of `call.plan-2.json`, `call.plan-3.json` and so on.
    private static func free(beside path: String) -> String {
        let stem = path.hasSuffix(".json") ? String(path.dropLast(5)) : path
        return (2...).lazy.map { "\(stem)-\($0).json" }.first { FileStamp(of: $0) == nil } ?? path
    }

    // MARK: Changing

    /// Applies a page's patch to the plan, and saves the plan.
    ///
    /// - Parameter seen: The revision for which the page made the patch.
    /// - Returns: The new revision.
    func change(_ patch: PlanPatch, seen: Int) throws(Refusal) -> Int {
        reload()
        guard let plan, fault == nil, isChecked else { throw .notReady }
        guard seen == revision else { throw .outdated }
        let changed: ReactionPlan
        do throws(FlourishError) {
            changed = try plan.patched(by: patch).numbered
            try session.checkTypes(of: changed)
        } catch {
            throw .invalid(Self.short(error.problem))
        }
        if changed != plan { try save(changed, replacing: stamp) }
        publish()
        return revision
    }

    /// Loads changes of the file by other programs.
    func reload() {
        guard let stamp else { return }
        guard let found = FileStamp(of: path) else {
            if !isGone {
                isGone = true
                publish()
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
            // The shown plan is kept, and the file is not overwritten.
            fault = Fault(kind: "unreadable", message: Self.short(error.problem))
        }
        publish()
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

    /// Returns a message without its remedy, which is meant for the command line.
    private static func short(_ message: String) -> String {
        message.firstRange(of: "; ").map { String(message[..<$0.lowerBound]) } ?? message
    }

    private func publish() {
        board.publish(
            .plan,
            .object([
                "revision": .integer(revision), "path": .text(path), "hasPlan": .flag(plan != nil),
                "isGone": .flag(isGone),
                "fault": fault.map { .object(["kind": .text($0.kind), "message": .text($0.message)]) } ?? .null,
                "besidePath": fault == nil ? .null : .text(Self.free(beside: path)),
            ]))
    }
}
