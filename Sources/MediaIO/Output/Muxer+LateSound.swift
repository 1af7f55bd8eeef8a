internal import CFFmpeg
internal import Synchronization

/// Sound that arrives late, or never. The header is delayed for it up to a limit; then the sound is omitted.
extension Muxer {
    /// A second layout of the output, without late sound, and its context.
    @safe
    struct Substitute {
        var context: UnsafeMutablePointer<AVFormatContext>
        var places: [Int: Int]
        var videoPlace: Int
        var writtenStreams: [(source: Int, place: Int)]
    }

    /// Lays out the output without the late sound.
    func layOutSubstitute(_ source: Demuxer, isLive: Bool) throws(MediaError) -> Substitute {
        var fresh: UnsafeMutablePointer<AVFormatContext>? = nil
        unsafe avformat_alloc_output_context2(&fresh, nil, form.muxerName, sink.url)
        guard let other = unsafe fresh else { throw .outOfMemory(path) }
        do throws(MediaError) {
            let layout = unsafe try Self.layOut(
                other, container: container, form: form, source: source, audio: nil, path: path, leavingOut: late)
            unsafe other.pointee.interrupt_callback = unsafe watch.callback
            unsafe Self.configure(other, container, sink, isLive: isLive)
            return unsafe Substitute(
                context: other, places: layout.places, videoPlace: layout.videoPlace, writtenStreams: layout.written)
        } catch {
            unsafe avformat_free_context(other)
            throw error
        }
    }

    /// Returns whether more packets may wait for sound: many minutes of a file, but only some seconds of a stream.
    func mayWait(_ state: State) -> Bool {
        guard sink.isStream else { return state.waitingSize < Self.maximumWaitingBytes }
        // The demuxer has already waited for sound with unknown parameters.
        return state.waiting.count < Self.maximumWaiting && late.allSatisfy { $0.parser == nil || $0.isDescribed }
    }

    private static let maximumWaiting = 300, maximumWaitingBytes = 64 << 20

    /// Fills in the parameters of late sound, or removes the sound if no packet arrives in time.
    ///
    /// - Returns: Whether the header can be written.
    func describeSound(_ state: inout State, mayWait: Bool) throws(MediaError) -> Bool {
        let missing = try describe(late, from: state.waiting.dropFirst(state.searchedCount))
        state.searchedCount = state.waiting.count
        if missing.isEmpty { return true }
        if mayWait { return false }
        // The demuxer has already waited for sound with unknown parameters.
        let waited = late.contains { $0.parser != nil } ? UnprobedSound.longestWait : 0
        let seconds = max(duration(of: state.waiting), waited)
        // In a file, a sound stream may have no packets. Late sound that has arrived is not dropped because of such a
        // stream.
        if !sink.isStream, missing.count < late.count { return true }
        exchangeContexts()
        state.lateSkips = late.map { sound in
            SkippedStream(
                stream: sound.stream,
                reason: "no packet of it arrived within \(Demuxer.text(seconds)) s, and the header of "
                    + "\(container.displayName) must describe it")
        }
        return true
    }

    /// Exchanges the layouts and contexts with and without late sound.
    func exchangeContexts() {
        guard let other = substitute else { return }
        unsafe other.context.pointee.pb = unsafe context.pointee.pb
        unsafe context.pointee.pb = nil
        substitute = unsafe Substitute(
            context: context, places: places, videoPlace: videoPlace, writtenStreams: writtenStreams)
        unsafe (context, places, videoPlace) = unsafe (other.context, other.places, other.videoPlace)
        writtenStreams = other.writtenStreams
    }

    /// Returns the streams that were dropped since the last call because no packet arrived in time.
    package func dequeueLateSkips() -> [SkippedStream] {
        lock.withLock { state in
            defer { state.lateSkips = [] }
            return state.lateSkips
        }
    }
}

/// Sound whose packets have parameters that a container's header needs.
extension Muxer {
    /// The indices of AAC streams whose parameters are only in the packets, as in transport streams. MP4 states them in
    /// its header, which therefore waits for the first packet.
    var undescribedSound: [Int] { unsafe Self.undescribedSound(context) }

    @unsafe
    private static func undescribedSound(_ context: UnsafeMutablePointer<AVFormatContext>) -> [Int] {
        (0..<Int(unsafe context.pointee.nb_streams)).filter { place in
            let parameters = unsafe context.pointee.streams[place]!.pointee.codecpar!
            return unsafe parameters.pointee.codec_id == AV_CODEC_ID_AAC && parameters.pointee.extradata_size == 0
        }
    }

    /// A sound stream whose first packet must arrive before the header is written.
    ///
    /// Used by one thread at a time.
    final class LateSound: @unchecked Sendable {
        let stream: StreamInfo
        let place: Int
        /// Decodes the first packet if the parameters of the sound are unknown; `nil` if the packet's own header is
        /// parsed.
        let parser: SoundParser?
        var isDescribed = false

        init(_ stream: StreamInfo, place: Int, parser: SoundParser?) {
            (self.stream, self.place, self.parser) = (stream, place, parser)
        }
    }

    /// Returns the sound whose first packet must arrive before the header is written. This is sound whose parameters
    /// the source does not yet know, and AAC for Matroska without seeking. MPEG-TS has no sound parameters in its
    /// header.
    @unsafe
    static func lateSound(
        _ layout: StreamLayout, _ context: UnsafeMutablePointer<AVFormatContext>, of source: Demuxer,
        _ container: ContainerFormat, _ sink: MuxerSink
    ) -> [LateSound] {
        guard container != .mpegts else { return [] }
        let undescribed = container == .matroska && sink.isStream ? unsafe undescribedSound(context) : []
        return source.streams.compactMap { info in
            guard info.kind == .audio, let place = layout.places[info.index] else { return nil }
            let stream = unsafe source.context.pointee.streams[info.index]!
            if UnprobedSound.isUnknown(source.input.stream(info.index).parameters) {
                return LateSound(
                    info, place: place, parser: unsafe SoundParser(stream.pointee.codecpar, source.context))
            }
            return undescribed.contains(place) ? LateSound(info, place: place, parser: nil) : nil
        }
    }

    /// Sets assumed parameters for unknown sound. They are replaced before a header with them is written.
    @unsafe
    static func assumeSound(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        unsafe parameters.pointee.sample_rate = 48_000
        unsafe av_channel_layout_default(&parameters.pointee.ch_layout, 2)
    }

    /// Fills in the parameters of the sound whose first packet has arrived.
    ///
    /// - Parameter packets: The packets since the last call.
    /// - Returns: The sound whose parameters are still unknown.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    func describe(_ late: [LateSound], from packets: ArraySlice<QueuedPacket>) throws(MediaError) -> [LateSound] {
        for queued in packets {
            guard let packet = queued.packet.take() else { continue }
            let sound = late.first { $0.place == places[packet.streamIndex] && !$0.isDescribed }
            if let sound {
                let parameters = unsafe context.pointee.streams[sound.place]!.pointee.codecpar!
                if let parser = sound.parser {
                    sound.isDescribed = unsafe parser.learn(from: packet.av.pointer, parameters)
                }
                if container == .matroska, sink.isStream, let configuration = SoundHeader(of: packet)?.configuration {
                    unsafe try setConfiguration(configuration, of: parameters)
                    sound.isDescribed = true
                }
            }
            queued.packet = consume packet
        }
        return late.filter { !$0.isDescribed }
    }

    /// Returns the duration of the waiting packets, in seconds.
    func duration(of waiting: [QueuedPacket]) -> Double {
        let times = waiting.compactMap { $0.packet?.decodingTime?.seconds }
        return (times.max() ?? 0) - (times.min() ?? 0)
    }
}
