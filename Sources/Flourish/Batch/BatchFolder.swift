import FoundationEssentials
import Platform

/// An output folder with the batch's own files: `.flourish/journal.jsonl`, a lock, and a folder for the unfinished
/// outputs of each run. A ``BatchRun`` owns it, and any of its threads may use it.
final class BatchFolder: Sendable {
    let path: BatchPath
    let journal: BatchJournal?
    /// Locks outputs, and the folders of runs; `nil` if the folder is only read.
    private let lock: RegionLock?
    /// The folder of this run; `nil` if nothing is written.
    let work: BatchPath?
    /// A descriptor of the run's folder, if its path is not UTF-8; see ``address(of:)``.
    private let workDescriptor: Int32?

    private static let folder = Array(".flourish".utf8)

    /// Opens a folder to write to. Creates it if it is missing, and removes the files of runs that were killed.
    static func opened(_ path: BatchPath) throws(FlourishError) -> BatchFolder {
        do throws(RawFileError) { return try BatchFolder(writing: path) } catch {
            var failure = FlourishError(
                .outputUnavailable, "\(path): the folder is not writable (\(error.message)); choose another folder"
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
        for name in try RawFile.names(in: all.bytes) where lock.acquire(Self.region(ofRun: name)) {
            RawFile.removeFolder(all.appending(name).bytes)
            lock.release(Self.region(ofRun: name))
        }
        let name = Array("\(getpid())-\(String(MonotonicClock.now, radix: 36))".utf8)
        // The lock keeps other runs from removing the folder as one of a killed run.
        _ = lock.acquire(Self.region(ofRun: name))
        let work = all.appending(name)
        try RawFile.makeFolder(work.bytes)
        self.work = work
        workDescriptor = work.text == nil ? try RawFile.open(work.bytes, O_RDONLY | O_DIRECTORY) : nil
        self.lock = lock
    }

    /// Opens a folder, which need not exist, for reading only.
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

    /// Removes the run's folder. The owner calls this at its end rather than relying on `deinit`, because a thread that
    /// is about to end may still retain the object when the process exits.
    func clear() {
        if let work { RawFile.removeFolder(work.bytes) }
    }

    /// Returns the path of a file in the run's folder for sessions, which accept only UTF-8.
    func address(of file: BatchPath) -> String {
        if let text = file.text { return text.hasPrefix("/") ? text : "./" + text }
        return "/proc/self/fd/\(workDescriptor ?? -1)/\(BatchPath(bytes: file.name))"
    }

    private static func region(ofRun name: [UInt8]) -> Int64 { RegionLock.region(Array("work/".utf8) + name) }

    /// Claims an output for this run; returns `false` if another run has claimed it.
    func claim(_ output: [UInt8]) -> Bool { lock?.acquire(RegionLock.region(output)) ?? true }

    /// Releases a claim.
    func release(_ output: [UInt8]) { lock?.release(RegionLock.region(output)) }
}
