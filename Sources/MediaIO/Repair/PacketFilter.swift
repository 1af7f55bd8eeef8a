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

    /// Dequeues the next of the packets that were held back and are ready.
    func next() -> Packet?

    /// Ends the holding back at the end of the input.
    ///
    /// - Returns: Whether packets became ready.
    func finish() -> Bool

    /// Starts again after a seek.
    func reset()
}

extension PacketFilter {
    func next() -> Packet? { nil }
    func finish() -> Bool { false }
    func reset() {}
}

extension [any PacketFilter] {
    /// Returns the next packet that all filters, in their order, let through; nil at the end.
    ///
    /// - Parameter source: Returns the next packet before the filters.
    func read(
        of input: () -> InputContext, _ source: () throws(MediaError) -> Packet?
    ) throws(MediaError) -> Packet? {
        try read(through: count, of: input, source)
    }

    private func read(
        through count: Int, of input: () -> InputContext, _ source: () throws(MediaError) -> Packet?
    ) throws(MediaError) -> Packet? {
        guard count > 0 else { return try source() }
        let filter = self[count - 1]
        while true {
            if let packet = filter.next() { return packet }
            if let packet = try read(through: count - 1, of: input, source) {
                // Reading may have replaced the input.
                if let ready = try filter.add(packet, of: input()) { return ready }
            } else if !filter.finish() {
                return nil
            }
        }
    }
}
