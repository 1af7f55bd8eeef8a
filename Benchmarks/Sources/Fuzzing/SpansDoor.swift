import Flourish
import MediaIO
import Reactions

/// Spans that another run encoded: a file as it is, or the table of a span, in a file that is as it should be beside.
package struct SpansDoor: FuzzDoor {
    package let name = "spans"
    let folder: FuzzFolder

    private static let header = ##"{"key": "fnv1a:00", "schema": 1, "share": 1, "shares": 1, "spans": [0]}"##
    private static let table = ##"""
        {"events": [{"frame": 8, "kind": {"started": {"detail": 1, "gesture": "victory", "id": 1, "origin": {"x": 0.5, "y": 0.4},
        "startTime": 0.32, "trigger": "gesture", "type": "confetti"}}, "time": 0.32}, {"frame": 8, "kind": {"inProgress":
        {"_0": [{"id": 1, "origin": {"x": 0.5, "y": 0.4}, "startTime": 0.32, "type": "confetti"}]}}, "time": 0.32},
        {"frame": 9, "kind": {"warning": {"code": "damagedInput", "message": "m"}}, "time": 0.36}], "firstFrame": 5,
        "frames": 3, "packets": [[2560, 512, 1, 2832, 3], [3584, 512, 0, null, 2], [3072, 512, 16, 3000, 1]],
        "sets": "fnv1a:01", "witnesses": [{"checksum": 12345678901234567890, "time": 4096}]}
        """##.replacing("\n", with: " ") + "\n"
    private static let bytes = Array("abcdef".utf8)

    private static func file(of table: [UInt8]) -> [UInt8] {
        let mark = JSONLine.encode(SpanFile.Mark(table, bytes))
        return Array("\(header)\n\(mark)\n".utf8) + table + bytes
    }

    package func seeds() throws -> [FuzzInput] {
        let table = Array(Self.table.utf8)
        return [FuzzInput(kind: "table", bytes: table), FuzzInput(kind: "spans", bytes: Self.file(of: table))]
    }

    package func enter(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        do {
            let bytes = input.kind == "table" ? Self.file(of: input.bytes) : input.bytes
            let file = try SpanFile(try folder.write(bytes, as: "a.spans"))
            for span in file.header.spans {
                guard let (table, bytes) = try file.read(span) else {
                    throw FuzzFault("a span that is listed is not there")
                }
                guard table.packets.reduce(0, { $0 + $1.size }) == bytes.count else {
                    throw FuzzFault("packets reach beyond their bytes")
                }
                for event in table.events { _ = (event.event.jsonLine, CueLog.clock(event.event.time)) }
            }
            return "accepted"
        } catch let fault as FuzzFault { throw fault } catch { return try Refusal.word(for: error) }
    }
}
