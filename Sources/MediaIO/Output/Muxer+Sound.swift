internal import CFFmpeg

/// Sound of which a container's header says what only its packets tell.
extension Muxer {
    /// The places of streams of AAC that says in each packet what it is, as in transport streams, and of which no more is
    /// known: MP4 tells that in its header, which waits for the first packet then.
    var undescribedSound: [Int] { unsafe Self.undescribedSound(context) }

    @unsafe
    private static func undescribedSound(_ context: UnsafeMutablePointer<AVFormatContext>) -> [Int] {
        (0..<Int(unsafe context.pointee.nb_streams)).filter { place in
            let parameters = unsafe context.pointee.streams[place]!.pointee.codecpar!
            return unsafe parameters.pointee.codec_id == AV_CODEC_ID_AAC && parameters.pointee.extradata_size == 0
        }
    }

    /// Sound whose first packet must come before the header is written.
    ///
    /// Used by one thread at a time.
    final class LateSound: @unchecked Sendable {
        let stream: StreamInfo
        let place: Int
        /// Decodes the first packet where nothing is known of the sound; `nil` where its header is read.
        let parser: SoundParser?
        var isDescribed = false

        init(_ stream: StreamInfo, place: Int, parser: SoundParser?) {
            (self.stream, self.place, self.parser) = (stream, place, parser)
        }
    }

    /// The sound whose first packet must come before the header is written: what the source does not know yet, and AAC in
    /// Matroska that cannot be gone back in. MPEG-TS says nothing of it in its header.
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
            if unsafe Demuxer.isUnknownSound(stream) {
                return LateSound(info, place: place, parser: unsafe SoundParser(stream.pointee.codecpar))
            }
            return undescribed.contains(place) ? LateSound(info, place: place, parser: nil) : nil
        }
    }

    /// Assumes parameters for sound of which nothing is known: they are replaced before a header that says them is written.
    @unsafe
    static func assumeSound(_ parameters: UnsafeMutablePointer<AVCodecParameters>) {
        unsafe parameters.pointee.sample_rate = 48_000
        unsafe av_channel_layout_default(&parameters.pointee.ch_layout, 2)
    }

    /// Describes the sound whose first packet came.
    ///
    /// - Parameter packets: those that came since the last call.
    /// - Returns: the sound that is still not described.
    /// - throws: ``MediaError`` of the code `internal` where there is no memory.
    func describe(_ late: [LateSound], from packets: ArraySlice<QueuedPacket>) throws(MediaError) -> [LateSound] {
        for queued in packets {
            guard let packet = queued.packet.take() else { continue }
            let sound = late.first { $0.place == places[packet.streamIndex] && !$0.isDescribed }
            if let sound {
                let parameters = unsafe context.pointee.streams[sound.place]!.pointee.codecpar!
                if let parser = sound.parser {
                    sound.isDescribed = unsafe parser.learn(from: packet.av, parameters)
                }
                if container == .matroska, sink.isStream, let header = ADTSHeader(packet.bytes.prefix(4)) {
                    unsafe try setConfiguration(header.configuration, of: parameters)
                    sound.isDescribed = true
                }
            }
            queued.packet = consume packet
        }
        return late.filter { !$0.isDescribed }
    }

    /// The duration of the waiting packets, in seconds.
    func duration(of waiting: [QueuedPacket]) -> Double {
        let times = waiting.compactMap { $0.packet?.decodingTime?.seconds }
        return (times.max() ?? 0) - (times.min() ?? 0)
    }
}
