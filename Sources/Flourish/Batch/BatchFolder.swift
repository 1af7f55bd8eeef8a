import FoundationEssentials
import Platform
import Synchronization

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

/// What was done in an output folder, by all runs: a line of JSON for each output, of which the last one counts.
///
/// A line is written whole or not at all, as far as a reader can see: one that was cut off is no JSON, is passed over, and
/// the next begins on a line of its own. Runs that share the folder read what the others add.
final class BatchJournal: Sendable {
    private struct State {
        var records: [String: JournalRecord] = [:]
        /// How far the file was read.
        var offset: off_t = 0
        /// What was read of a line that has no end yet.
        var rest: [UInt8] = []
    }

    /// The lock's region for the journal's end; names have odd ones.
    private static let end: Int64 = 0

    private let descriptor: Int32
    private let lock: RegionLock
    private let state = Mutex(State())

    /// Opens a journal.
    ///
    /// - Parameter isWritten: whether lines will be added, and the file is made where it is missing.
    init(_ path: [UInt8], lock: RegionLock, isWritten: Bool) throws(RawFileError) {
        descriptor = try RawFile.open(path, isWritten ? O_RDWR | O_APPEND | O_CREAT : O_RDONLY)
        self.lock = lock
        refresh()
    }

    deinit { close(descriptor) }

    /// What is known of an output.
    subscript(output: String) -> JournalRecord? { state.withLock { $0.records[output] } }

    /// Reads what was added since.
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

    /// Adds a line that lasts.
    ///
    /// - Returns: 0, or the error number of what failed.
    func add(_ record: JournalRecord) -> Int32 {
        lock.wait(for: Self.end)
        defer { lock.release(Self.end) }
        var line = Array((JSONLine.encode(record) + "\n").utf8)
        // Whoever was killed while it wrote left a line without an end.
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

/// A line of the journal: what became of one output.
struct JournalRecord: Codable, Sendable, Hashable {
    enum State: String, Codable, Sendable {
        /// The output was finished; it is there if a file of this size has its name.
        case done
        case failed
    }

    /// The output's path from the output folder, as `RawName` writes it.
    var output: String
    var state: State
    /// The recording's path from the root, as `RawName` writes it.
    var source: String
    /// In bytes.
    var size: Int
    /// When the recording was written last, in nanoseconds since 1970.
    var modified: Int64
    /// A hash of the recording's bytes.
    var fingerprint: String
    /// A hash of what was asked for.
    var settings: String
    /// The output's size.
    var bytes: Int?
    /// A hash of the output's bytes, where people edit it.
    var digest: String?
    /// Why it failed.
    var reason: String?
}
