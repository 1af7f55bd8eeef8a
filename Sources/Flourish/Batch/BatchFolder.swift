import FoundationEssentials
import Platform

/// An output folder with what a batch keeps in it: `.flourish/journal.jsonl`, a lock, and a folder for each run in which
/// outputs grow.
final class BatchFolder: Sendable {
    let path: BatchPath
    let journal: BatchJournal?
    /// Claims of outputs, and of the runs' own folders.
    private let lock: RegionLock?
    /// The run's own folder; `nil` where nothing is written.
    let work: BatchPath?
    /// The run's own folder, held open where its name is no UTF-8.
    private let workDescriptor: Int32?

    private static let folder = Array(".flourish".utf8)

    /// Opens a folder to work in. It is made where it is missing, and what runs that were killed left is removed.
    static func opened(_ path: BatchPath) throws(FlourishError) -> BatchFolder {
        do throws(RawFileError) { return try BatchFolder(writing: path) } catch {
            var failure = FlourishError(
                .outputUnavailable, "\(path): outputs cannot be written there (\(error.message)); choose another folder"
            )
            failure.isDiskFull = error.number == ENOSPC
            throw failure
        }
    }

    private init(writing path: BatchPath) throws(RawFileError) {
        self.path = path
        let own = path.appending(Self.folder), all = own.appending(Array("work".utf8))
        try RawFile.makeFolder(all.bytes)
        let lock = RegionLock(descriptor: try RawFile.open(own.appending(Array("lock".utf8)).bytes, O_RDWR | O_CREAT))
        journal = try BatchJournal(own.appending(Array("journal.jsonl".utf8)).bytes, lock: lock, isWritten: true)
        for name in try RawFile.names(in: all.bytes) where lock.take(Self.region(ofRun: name)) {
            RawFile.removeFolder(all.appending(name).bytes)
            lock.release(Self.region(ofRun: name))
        }
        let name = Array("\(getpid())-\(String(MonotonicClock.now, radix: 36))".utf8)
        // Whoever cleans up finds it locked.
        _ = lock.take(Self.region(ofRun: name))
        let work = all.appending(name)
        try RawFile.makeFolder(work.bytes)
        self.work = work
        workDescriptor = work.text == nil ? try RawFile.open(work.bytes, O_RDONLY | O_DIRECTORY) : nil
        self.lock = lock
    }

    /// A folder that is looked at and left as it is, or is not there.
    init(reading path: BatchPath) {
        self.path = path
        let own = path.appending(Self.folder)
        let lock = (try? RawFile.open(own.appending(Array("lock".utf8)).bytes, O_RDONLY)).map {
            RegionLock(descriptor: $0)
        }
        self.lock = nil
        journal = lock.flatMap {
            try? BatchJournal(own.appending(Array("journal.jsonl".utf8)).bytes, lock: $0, isWritten: false)
        }
        work = nil
        workDescriptor = nil
    }

    deinit {
        if let workDescriptor { close(workDescriptor) }
        clear()
    }

    /// Removes what the run worked in. A thread that is about to end may hold the folder for a moment longer than the
    /// process lives, so who is done with it says so.
    func clear() {
        if let work { RawFile.removeFolder(work.bytes) }
    }

    /// A file in the run's own folder as sessions take it, which is UTF-8.
    func address(of file: BatchPath) -> String {
        if let text = file.text { return text.hasPrefix("/") ? text : "./" + text }
        return "/proc/self/fd/\(workDescriptor ?? -1)/\(BatchPath(bytes: file.name))"
    }

    private static func region(ofRun name: [UInt8]) -> Int64 { RegionLock.region(Array("work/".utf8) + name) }

    /// Claims an output for this run; `false` where another run is at work on it.
    func claim(_ output: [UInt8]) -> Bool { lock?.take(RegionLock.region(output)) ?? true }

    /// Ends a claim.
    func release(_ output: [UInt8]) { lock?.release(RegionLock.region(output)) }
}
