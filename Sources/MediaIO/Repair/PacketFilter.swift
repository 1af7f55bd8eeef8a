/// One repair of the packets of odd inputs. Each is in a file of its own, which states the recorders, containers or
/// releases of FFmpeg that need it.
///
/// A filter may change, drop, join or hold back packets. Used by one thread at a time.
protocol PacketFilter: AnyObject {
    /// Adds the next packet.
    ///
    /// - Parameter input: The input, which FFmpeg may have updated while it read the packet.
    /// - Returns: A packet that is ready; nil if the packet was dropped or held back.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    func add(_ packet: consuming Packet, of input: InputContext) throws(MediaError) -> Packet?

    /// Starts again after a seek.
    func reset()
}

extension PacketFilter {
    func reset() {}
}

/// Filters in the order in which packets pass them. ``ForwardLeaps`` is the only one that holds back several packets.
struct PacketFilters {
    private var filters: [any PacketFilter]
    private var leaps: ForwardLeaps?
    /// The index of the first filter after ``leaps``.
    private var afterLeaps = 0

    init(_ filters: [(any PacketFilter)?]) {
        self.filters = filters.compactMap(\.self)
        if let index = self.filters.firstIndex(where: { $0 is ForwardLeaps }) {
            leaps = self.filters[index] as? ForwardLeaps
            afterLeaps = index + 1
        }
    }

    mutating func removeLeaps() {
        filters.removeAll { $0 is ForwardLeaps }
        leaps = nil
    }

    func reset() { for filter in filters { filter.reset() } }

    /// Returns the next packet that all filters let through; nil at the end.
    ///
    /// - Parameters:
    ///   - source: Returns the next packet before the filters.
    ///   - input: Returns the input, which `source` may replace.
    func read(
        _ source: () throws(MediaError) -> Packet?, of input: () -> InputContext
    ) throws(MediaError) -> Packet? {
        while true {
            var first = 0
            var packet: Packet?
            if let held = leaps?.next() {
                first = afterLeaps
                packet = consume held
            } else if let next = try source() {
                packet = consume next
            } else if leaps?.finish() != true {
                return nil
            }
            for index in first..<filters.count {
                guard let current = packet.take() else { break }
                packet = try filters[index].add(current, of: input())
            }
            if packet != nil { return packet }
        }
    }
}
