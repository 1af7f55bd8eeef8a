import FoundationEssentials
import Platform
import Synchronization

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

/// The results of all runs in an output folder, as a line of JSON for each output. The last line of an output counts.
///
/// Only complete lines are read. A line that a killed run left truncated is not JSON and is skipped, and ``add(_:)``
/// begins a new line after it. Runs that use the folder at the same time append to the same file, and read all of its
/// lines.
final class BatchJournal: Sendable {
    private struct State {
        var records: [String: JournalRecord] = [:]
        /// The offset up to which the file was read.
        var offset: off_t = 0
        /// The bytes after the last complete line.
        var rest: [UInt8] = []
    }

    /// The region of the lock that protects appending. The regions of names are odd numbers.
    private static let end: Int64 = 0

    private let descriptor: Int32
    private let lock: RegionLock
    private let state = Mutex(State())

    /// Opens a journal.
    ///
    /// - Parameter isWritten: A Boolean value that indicates whether lines will be appended. The file is then created
    ///   if it is missing.
    init(_ path: [UInt8], lock: RegionLock, isWritten: Bool) throws(RawFileError) {
        descriptor = try RawFile.open(path, isWritten ? O_RDWR | O_APPEND | O_CREAT : O_RDONLY)
        self.lock = lock
        refresh()
    }

    deinit { close(descriptor) }

    /// Returns the last record of an output.
    subscript(output: String) -> JournalRecord? { state.withLock { $0.records[output] } }

    /// Reads the lines that this run and others have appended since the last call.
    func refresh() {
        state.withLock { state in
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = unsafe pread(descriptor, &buffer, buffer.count, state.offset)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return }
                state.offset += off_t(count)
                state.rest += buffer[..<count]
                var lines = state.rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                state.rest = lines.popLast().map(Array.init) ?? []
                for line in lines {
                    guard let record = try? JSONDecoder().decode(JournalRecord.self, from: Data(line)) else { continue }
                    state.records[record.output] = record
                }
            }
        }
    }

    /// Appends a line and syncs the file.
    ///
    /// - Returns: 0, or the error number of the failure.
    func add(_ record: JournalRecord) -> Int32 {
        lock.wait(for: Self.end)
        defer { lock.release(Self.end) }
        var line = Array((JSONLine.encode(record) + "\n").utf8)
        // A run that was killed while writing has left an incomplete line.
        if endsMidway { line.insert(UInt8(ascii: "\n"), at: 0) }
        let status = DescriptorOutput.write(line, to: descriptor)
        guard status == 0 else { return status }
        state.withLock { $0.records[record.output] = record }
        return fsync(descriptor) == 0 ? 0 : errno
    }

    private var endsMidway: Bool {
        guard let size = RawFile.status(descriptor: descriptor)?.size, size > 0 else { return false }
        var last: UInt8 = 0
        return unsafe pread(descriptor, &last, 1, off_t(size - 1)) == 1 && last != UInt8(ascii: "\n")
    }
}

/// A line of the journal: the result of one output.
struct JournalRecord: Codable, Sendable, Hashable {
    enum State: String, Codable, Sendable {
        /// The output was finished. The file may have been removed since, so readers compare ``JournalRecord/bytes``
        /// with its size.
        case done
        case failed
    }

    /// The output's path, relative to the output folder, in the encoding of `RawName`.
    var output: String
    var state: State
    /// The recording's absolute path, in the encoding of `RawName`.
    var source: String
    /// The recording's size, in bytes.
    var size: Int
    /// The recording's modification time, in nanoseconds since 1970.
    var modified: Int64
    /// A hash of the recording's bytes.
    var fingerprint: String
    /// A hash of the settings and the plan.
    var settings: String
    /// The output's size, in bytes.
    var bytes: Int?
    /// A hash of the output's bytes, for plans, which users edit.
    var digest: String?
    /// The reason for a failure.
    var reason: String?
}
