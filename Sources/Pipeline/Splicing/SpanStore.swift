import MediaIO
import Reactions

/// The spans of a recording that other runs have encoded.
struct SpanStore {
    private let files: [SpanFile]
    private let layout: SpliceLayout

    /// - Throws: ``FlourishError/Code/inputUnusable`` where a span is missing.
    init(_ files: [SpanFile], _ layout: SpliceLayout) throws(FlourishError) {
        self.files = files
        self.layout = layout
        for span in layout.orders.indices where !files.contains(where: { $0.contains(span) }) {
            throw FlourishError(
                .inputUnusable, "--spans: span \(span + 1) of \(layout.orders.count) is in none of them")
        }
    }

    /// What became of a span.
    ///
    /// - Throws: ``FlourishError/Code/inputUnusable``, `MediaError`, `SpliceObstacle`.
    func load(_ number: Int) throws -> SpanWork.Result {
        guard let file = files.first(where: { $0.contains(number) }), let (table, bytes) = try file.read(number) else {
            throw FlourishError(.internal, "a span without a file")
        }
        let order = layout.orders[number]
        let shown = Set(table.packets.map(\.presentationTime))
        guard table.firstFrame == order.firstFrame, table.frames == order.times.count,
            table.sets == layout.workshop?.setsHash, !shown.isEmpty, shown.count == table.packets.count,
            shown.isSubset(of: order.times)
        else {
            throw FlourishError(.inputUnusable, "\(file.name): its spans do not fit; make it again")
        }
        var result = SpanWork.Result()
        var place = 0
        for content in table.packets {
            let packet = try content.packet(of: bytes[place..<place + content.size], in: layout.demuxer.video)
            place += content.size
            result.packets.append(QueuedPacket(packet))
        }
        for (index, time) in order.times.enumerated() where !shown.contains(time) {
            layout.ledger.leaveOut(order.firstFrame + index)
        }
        result.witnesses = table.witnesses
        result.events = table.events.map(\.event)
        return result
    }
}
