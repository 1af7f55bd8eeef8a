import Effects
package import MediaIO
import Platform
package import Reactions

/// Spans that one run encoded for another, which puts them between the recording's packets.
///
/// A line of JSON says what they are of. For each span follow a line of JSON, a table, and the packets' bytes:
///
/// ```
/// {"key":"fnv1a:…","schema":1,"share":1,"shares":2,"spans":[0,2]}
/// {"hash":"fnv1a:…","size":120417,"table":8210}
/// {"events":[…],"firstFrame":270,"packets":[[9000,300,1,null,4711],…],…}
/// ⟨120417 bytes⟩
/// ```
package final class SpanFile: Sendable {
    /// What all of it is about.
    package struct Header: Sendable, Hashable, Codable {
        /// The version of the file.
        var schema = 1
        /// A hash of all that the spans depend on, and the recording with it.
        package var key: String
        var share: Int
        var shares: Int
        /// The numbers of its spans among the recording's.
        package var spans: [Int]
    }

    /// What stands before a span.
    package struct Mark: Codable {
        /// Of the table, in bytes, with its newline.
        private(set) var table: Int
        /// Of the packets' bytes.
        private(set) var size: Int
        /// Of the table and the packets' bytes.
        private(set) var hash: String

        package init(_ table: [UInt8], _ bytes: [UInt8]) {
            self.table = table.count
            size = bytes.count
            hash = Self.hash(table, bytes)
        }

        static func hash(_ table: [UInt8], _ bytes: [UInt8]) -> String {
            var hash = ContentHash()
            hash.add(table)
            hash.add(bytes)
            return hash.text
        }
    }

    /// What is known of a span.
    package struct Table: Codable {
        /// The id of its first frame, and how many of the recording's frames it replaces, left out or not.
        var firstFrame: Int
        var frames: Int
        /// A hash of the parameter sets that its packets refer to.
        var sets: String
        package var packets: [PacketContent]
        var witnesses: [SpliceCheck.Witness]
        package var events: [SpanEvent]
    }

    private static let schema = 1
    private static let longestLine = 4 << 20
    /// A table has some 40 bytes for each picture; a span's packets are in memory while they are joined. So a file
    /// cannot claim more than a machine has.
    private static let largestTable = 64 << 20
    private static let mostBytes = 4 << 30

    /// As it was given.
    package let name: String
    package let header: Header
    package let share: RecordingShare
    private let file: ReadableFile
    /// Where the spans' tables begin, by the spans' numbers.
    private let places: [Int: (place: Int, mark: Mark)]

    /// Opens a file and makes sure that all of it is there.
    ///
    /// - Throws: ``FlourishError/Code/inputUnavailable``, ``FlourishError/Code/inputUnusable``.
    package init(_ path: String) throws(FlourishError) {
        name = path
        do {
            file = try ReadableFile(path)
        } catch {
            let reason =
                switch error.number {
                case EINVAL: "is no file"
                case ENOENT: "there is no such file"
                default: error.message
                }
            throw FlourishError(.inputUnavailable, "\(path): \(reason); \(Self.advice)")
        }
        guard let line = file.line(at: 0, limit: Self.longestLine),
            let header = try? JSONFault.decode(Header.self, from: line)
        else { throw FlourishError(.inputUnusable, "\(path): holds no spans; \(Self.advice)") }
        guard header.schema == Self.schema, let share = RecordingShare(header.share, of: header.shares) else {
            throw FlourishError(.inputUnusable, "\(path): was written by another version of the program")
        }
        (self.header, self.share) = (header, share)
        var places: [Int: (Int, Mark)] = [:]
        var place = line.count + 1
        for span in header.spans {
            guard let line = file.line(at: place, limit: Self.longestLine),
                let mark = try? JSONFault.decode(Mark.self, from: line),
                mark.table > 0, mark.size >= 0, mark.table <= min(file.size, Self.largestTable),
                mark.size <= min(file.size, Self.mostBytes)
            else { throw Self.damaged(path) }
            places[span] = (place + line.count + 1, mark)
            place += line.count + 1 + mark.table + mark.size
        }
        guard place == file.size else { throw Self.damaged(path) }
        self.places = places
    }

    private static let advice = "give what --span-share wrote"

    static func damaged(_ name: String) -> FlourishError {
        FlourishError(.inputUnusable, "\(name): is damaged, or not all of it is there; make it again")
    }

    /// Whether a span is in it.
    func contains(_ span: Int) -> Bool { places[span] != nil }

    /// What is known of a span, and its packets' bytes.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable``.
    package func read(_ span: Int) throws(FlourishError) -> (table: Table, bytes: [UInt8])? {
        guard let (place, mark) = places[span] else { return nil }
        guard let table = file.read(at: place, count: mark.table),
            let bytes = file.read(at: place + mark.table, count: mark.size), Mark.hash(table, bytes) == mark.hash,
            let known = try? JSONFault.decode(Table.self, from: table),
            known.packets.reduce(0, { $0 + $1.size }) == bytes.count
        else { throw Self.damaged(name) }
        return (known, bytes)
    }

    /// Where the spans of a share lie unless told otherwise: beside the output, as `reacted.mp4.spans-2-of-4`.
    package static func path(for output: String, _ share: RecordingShare) -> String {
        "\(output).spans-\(share.number)-of-\(share.count)"
    }
}
