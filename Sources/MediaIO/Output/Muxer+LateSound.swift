internal import CFFmpeg
internal import Synchronization

/// A sound stream whose first packet must arrive before the header is written: sound whose parameters the source does
/// not know yet, and AAC for Matroska without seeking. The header waits for it up to a limit; then the sound is omitted.
///
/// Used by one thread at a time.
final class LateSound: @unchecked Sendable {
    let stream: StreamInfo
    private let place: Int
    /// Decodes the first packet if the parameters of the sound are unknown; nil if the packet's own header is parsed.
    private let parser: SoundParser?
    private(set) var isDescribed = false

    /// True if the demuxer has waited for the sound, too.
    var isUnknown: Bool { parser != nil }

    fileprivate init(_ stream: StreamInfo, place: Int, parser: SoundParser?) {
        (self.stream, self.place, self.parser) = (stream, place, parser)
    }

    /// Fills in the parameters if a packet is the sound's and reveals them.
    ///
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    fileprivate func describe(_ layout: OutputLayout, from packet: borrowing Packet) throws(MediaError) {
        guard !isDescribed, layout.places[packet.streamIndex] == place else { return }
        let parameters = layout.context.stream(place).parameters
        if let parser { isDescribed = parser.learn(from: packet, parameters) }
        guard layout.container == .matroska, layout.target.sink.isStream,
            let configuration = SoundHeader(of: packet)?.configuration
        else { return }
        try MediaError.demandMemory(parameters.setHeader(configuration), layout.path)
        isDescribed = true
    }
}

extension OutputLayout {
    /// The indices of AAC streams whose parameters are only in the packets, as in transport streams. MP4 states them in
    /// its header, which therefore waits for the first packet.
    var undescribedSound: [Int] {
        context.streams.filter { $0.parameters.codec_id == AV_CODEC_ID_AAC && $0.parameters.extradata_size == 0 }
            .map { Int($0.index) }
    }

    /// Returns the sound that may be late. MPEG-TS has no sound parameters in its header.
    func lateSound(of source: Demuxer) -> [LateSound] {
        if container == .mpegts { return [] }
        let undescribed = container == .matroska && target.sink.isStream ? undescribedSound : []
        return source.streams.compactMap { info in
            guard info.kind == .audio, let place = places[info.index] else { return nil }
            let stream = source.input.stream(info.index)
            if UnprobedSound.isUnknown(stream.parameters) {
                return LateSound(info, place: place, parser: SoundParser(stream.parameters, source.input))
            }
            return undescribed.contains(place) ? LateSound(info, place: place, parser: nil) : nil
        }
    }
}

extension Muxer {
    /// Returns whether more packets may wait for sound: many minutes of a file, but only some seconds of a stream.
    func mayWait(_ state: State) -> Bool {
        guard target.sink.isStream else { return state.waitingSize < Self.maximumWaitingBytes }
        // The demuxer has already waited for sound with unknown parameters.
        return state.waiting.count < Self.maximumWaiting && late.allSatisfy { !$0.isUnknown || $0.isDescribed }
    }

    private static let maximumWaiting = 300, maximumWaitingBytes = 64 << 20

    /// Fills in the parameters of late sound, or removes the sound if no packet arrives in time.
    ///
    /// - Returns: Whether the header can be written.
    func describeSound(_ state: inout State, mayWait: Bool) throws(MediaError) -> Bool {
        for queued in state.waiting.dropFirst(state.searchedCount) {
            guard let packet = queued.packet.take() else { continue }
            for sound in late { try sound.describe(layout, from: packet) }
            queued.packet = consume packet
        }
        state.searchedCount = state.waiting.count
        let missing = late.count { !$0.isDescribed }
        if missing == 0 { return true }
        if mayWait { return false }
        // In a file, a sound stream may have no packets. Late sound that has arrived is not dropped because of such a
        // stream.
        guard target.sink.isStream || missing == late.count, let other = substitute else { return true }
        unsafe other.context.pb = layout.context.pb
        unsafe layout.context.pb = nil
        (layout, substitute) = (other, nil)
        // The demuxer has already waited for sound with unknown parameters.
        let waited = late.contains(where: \.isUnknown) ? UnprobedSound.longestWait : 0
        let times = state.waiting.compactMap { $0.packet?.decodingTime?.seconds }
        let seconds = max((times.max() ?? 0) - (times.min() ?? 0), waited)
        state.lateSkips = late.map { sound in
            SkippedStream(
                stream: sound.stream,
                reason: "no packet of it arrived within \(Demuxer.text(seconds)) s, and the header of "
                    + "\(container.displayName) must describe it")
        }
        return true
    }

    /// Returns the streams that were dropped since the last call because no packet arrived in time.
    package func dequeueLateSkips() -> [SkippedStream] {
        lock.withLock { state in
            defer { state.lateSkips = [] }
            return state.lateSkips
        }
    }
}
