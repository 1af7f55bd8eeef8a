internal import CFFmpeg

/// The packets of one stream that were read from a file, or written to it.
///
/// The tallies of a run's source and of its output are compared when the run ends: see ``AccountComparison``.
package struct StreamTally: Sendable, Hashable {
    /// The packets whose content is presented: hidden packets, and packets that end before time 0, are not counted.
    var packets = 0
    /// The bytes of these packets.
    var bytes = 0
    /// The earliest presentation time of these packets.
    var start: MediaTime?
    /// The number of these packets with side data of each kind, by FFmpeg's names.
    var sideData: [String: Int] = [:]

    mutating func add(_ packet: borrowing Packet) {
        guard !packet.isHidden else { return }
        let time = packet.presentationTime ?? packet.decodingTime
        if let time, time.value < 0, time.value + (packet.duration?.value ?? 0) <= 1 { return }
        packets += 1
        bytes += packet.size
        if let time { start = start.map { min($0, time) } ?? time }
        packet.forEachSideData { sideData[$0, default: 0] += 1 }
    }

    /// Subtracts a packet that was left out intentionally, or whose loss is reported elsewhere.
    mutating func remove(_ packet: borrowing Packet) {
        var other = StreamTally()
        other.add(packet)
        packets -= other.packets
        bytes -= other.bytes
        for (kind, count) in other.sideData { sideData[kind, default: 0] -= count }
    }
}

/// The tallies of all streams, by the streams' indices.
struct StreamTallies: Sendable {
    private var tallies: [StreamTally] = []

    /// The tally of a stream; empty if no packet of it was added.
    subscript(stream: Int) -> StreamTally { stream < tallies.count ? tallies[stream] : StreamTally() }

    mutating func add(_ packet: borrowing Packet) {
        let stream = packet.streamIndex
        while tallies.count <= stream { tallies.append(StreamTally()) }
        tallies[stream].add(packet)
    }
}

extension Packet {
    /// The side data that demuxers and muxers derive from the container, which says nothing about the content.
    private static let derivedSideData = [
        AV_PKT_DATA_MPEGTS_STREAM_ID, AV_PKT_DATA_SKIP_SAMPLES, AV_PKT_DATA_QUALITY_STATS, AV_PKT_DATA_CPB_PROPERTIES,
        AV_PKT_DATA_PRFT, AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_DATA_PARAM_CHANGE, AV_PKT_DATA_STRINGS_METADATA,
        AV_PKT_DATA_METADATA_UPDATE,
    ]

    /// Calls a closure with the name of each side data that belongs to the content.
    fileprivate borrowing func forEachSideData(_ body: (String) -> Void) {
        for index in 0..<Int(av.side_data_elems) {
            let type = unsafe av.side_data[index].type
            guard !Self.derivedSideData.contains(type), let name = unsafe av_packet_side_data_name(type) else {
                continue
            }
            body(unsafe String(cString: name))
        }
    }

    /// True if the content is encrypted (ISO/IEC 23001-7, Common Encryption).
    var isEncrypted: Bool {
        av.side_data_elems > 0 && av.sideData(AV_PKT_DATA_ENCRYPTION_INFO) != nil
    }
}
