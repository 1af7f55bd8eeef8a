import FoundationEssentials
import Platform
import Synchronization

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
