internal import CFFmpeg

/// Mixes sounds into a copied sound stream. Only the packets around each sound are decoded and encoded again; all others
/// are passed on unchanged. The times of all packets stay as they are.
///
/// ```swift
/// let splicer = try SoundSplicer(demuxer, stream: 1)
/// splicer.add(MixedSound(start: 2, samples: [0.1, 0.3, -0.2]))
/// splicer.push(packet)                            // each packet of the stream, in sequence
/// let ready = splicer.release(until: seconds)     // all sounds that start before this time were added
/// let rest = splicer.release(until: .infinity)    // at the end
/// ```
///
/// In codecs with overlapping blocks, replacement begins and ends at packets where the samples are not changed, and
/// where the windows of both codings match (`SoundRegion`).
///
/// Used by one thread at a time.
@safe
package final class SoundSplicer {
    /// The stream's index in its file.
    package let streamIndex: Int
    package let sampleRate: Int
    /// The intervals that were encoded again, in seconds of the packets' clock.
    package private(set) var encodedIntervals: [ClosedRange<Double>] = []
    /// The reason why a sound was not mixed, in words for the user; nil if there is none.
    package private(set) var fault: String?

    private let coding: SoundCoding
    private let parameters: UnsafeMutablePointer<AVCodecParameters>
    private let sampleSize: Int
    private var sounds: [PlacedSound] = []
    private var queue: [SoundEntry] = []
    /// The last packets that were passed on, to warm up the decoder.
    private var history: [SoundEntry] = []
    private var region: SoundRegion?
    /// The position after the last packet.
    private var next: Int64?
    private var count = 0
    /// The bytes and samples of all packets that were passed on, for the bit rate.
    private var total = (bytes: 0, samples: 0)

    /// - Parameter index: The index of a sound stream.
    /// - Throws: ``SoundUnavailable`` if its codec does not allow it.
    package init(_ demuxer: Demuxer, stream index: Int) throws(SoundUnavailable) {
        let source = unsafe demuxer.input.stream(index).parameters.pointer
        coding = unsafe try SoundCoding(source)
        guard let copy = unsafe avcodec_parameters_alloc(), unsafe avcodec_parameters_copy(copy, source) >= 0 else {
            throw SoundUnavailable(message: "out of memory")
        }
        unsafe parameters = unsafe copy
        streamIndex = index
        sampleRate = unsafe Int(source.pointee.sample_rate)
        let bits = unsafe av_get_bits_per_sample(source.pointee.codec_id)
        sampleSize = unsafe Int(bits) / 8 * Int(source.pointee.ch_layout.nb_channels)
        guard sampleRate > 0, unsafe source.pointee.ch_layout.nb_channels > 0 else {
            throw SoundUnavailable(message: "the file does not state the sound's rate and channels")
        }
        guard (1000...768_000).contains(sampleRate) else {
            throw SoundUnavailable(message: "the sound has an unusual rate, \(sampleRate) Hz")
        }
    }

    deinit {
        var closing: UnsafeMutablePointer<AVCodecParameters>? = unsafe parameters
        unsafe avcodec_parameters_free(&closing)
    }

    /// Adds a sound. Packets at its time must not have been released.
    package func add(_ sound: MixedSound) { sounds.append(PlacedSound(sound, rate: sampleRate)) }

    /// Adds the next packet of the stream.
    package func push(_ packet: consuming Packet) {
        let length = samples(in: packet)
        var position = next ?? 0
        if let time = packet.presentationTime ?? packet.decodingTime {
            let stated = SoundTime.position(of: time.seconds, rate: sampleRate)
            // Containers round times to their ticks, which must not shift the samples of one packet against the next.
            if next == nil || abs(stated - position) > Int64(sampleRate) / 400 { position = stated }
        }
        next = position + Int64(length)
        queue.append(SoundEntry(packet, number: count, position: position, length: length))
        count += 1
    }

    /// Returns the packets that no later sound can change.
    ///
    /// - Parameter time: All sounds that start before this time, in seconds, were added.
    package func release(until time: Double) -> [QueuedPacket] {
        var ready: [QueuedPacket] = []
        while let entry = queue.first {
            // A sound changes packets before it, whose blocks reach into it.
            let reach = entry.position + Int64(entry.length * (coding.margin + 3))
            guard time == .infinity || Double(reach) / Double(sampleRate) <= time else { break }
            queue.removeFirst()
            pass(entry, &ready)
        }
        if time == .infinity, let last = region {
            perform(last, &ready) { (region) throws(SoundTranscoder.Failure) in try region.finish() }
            close(last, &ready)
        }
        if sounds.count > 8, let first = queue.first {
            sounds.removeAll { $0.end < first.position - Int64(first.length * 64) }
        }
        return ready
    }

    // MARK: Packets

    private func pass(_ entry: SoundEntry, _ ready: inout [QueuedPacket]) {
        total = (total.bytes + entry.size, total.samples + entry.length)
        if let region { return extend(region, with: entry, &ready) }
        let window = entry.position..<entry.position + Int64(entry.length * (coding.margin + 1))
        guard fault == nil, sounds.contains(where: { $0.overlaps(window) }) else { return keep(entry, &ready) }
        do throws(SoundUnavailable) {
            let region = try SoundRegion(
                unsafe SoundTranscoder(
                    parameters, coding: coding, blockLength: entry.length, bitRate: bitRate,
                    header: AACBlock.ADTS(entry.bytes)),
                coding, after: history)
            self.region = region
            extend(region, with: entry, &ready)
        } catch {
            fault = error.message
            keep(entry, &ready)
        }
    }

    private func extend(_ region: SoundRegion, with entry: SoundEntry, _ ready: inout [QueuedPacket]) {
        perform(region, &ready) { [sounds] (region) throws(SoundTranscoder.Failure) in
            try region.add(entry, mixing: sounds)
        }
        if region.hasEnded { close(region, &ready) }
    }

    /// Performs a step of the region, and returns the packets that are ready.
    private func perform(
        _ region: SoundRegion, _ ready: inout [QueuedPacket],
        _ step: (SoundRegion) throws(SoundTranscoder.Failure) -> Void
    ) {
        do throws(SoundTranscoder.Failure) { try step(region) } catch {
            fault = error.message
            region.giveUp()
        }
        for entry in region.dequeueReady() { keep(entry, &ready) }
    }

    private func close(_ region: SoundRegion, _ ready: inout [QueuedPacket]) {
        for entry in region.dequeueRest() { keep(entry, &ready) }
        if let (first, end) = region.replaced {
            let rate = Double(sampleRate)
            encodedIntervals.append(Double(first) / rate...Double(end) / rate)
        }
        self.region = nil
    }

    /// Passes a packet on, replaced or not, and keeps its original for a decoder.
    private func keep(_ entry: SoundEntry, _ ready: inout [QueuedPacket]) {
        guard let packet = entry.dequeueResult() else { return }
        ready.append(QueuedPacket(packet))
        history.append(entry)
        let needed = coding.warmUp.decoding + coding.warmUp.encoding
        if history.count > needed { history.removeFirst(history.count - needed) }
    }

    /// The bit rate of an encoder: a quarter more than the recording's, and enough for a good quality.
    private var bitRate: Int {
        let channels = unsafe Int(parameters.pointee.ch_layout.nb_channels)
        let measured = total.samples > 0 ? Double(total.bytes) * 8 * Double(sampleRate) / Double(total.samples) : 0
        let least = 72_000 * channels, greatest = (coding == .aac ? 256_000 : 128_000) * channels
        return min(max(Int(measured * 1.25), least), greatest)
    }

    /// Returns the number of samples in a packet.
    private func samples(in packet: borrowing Packet) -> Int {
        switch coding {
        case .pcm: return packet.size / max(1, sampleSize)
        case .aac: return 1024
        case .opus:
            let stated = unsafe av_get_audio_frame_duration2(parameters, Int32(packet.size))
            if stated > 0 { return Int(stated) }
            return packet.duration.map { Int((min(max($0.seconds, 0), 1) * Double(sampleRate)).rounded()) }
                ?? sampleRate / 50
        }
    }
}

/// A packet of a sound stream, and its place.
final class SoundEntry {
    let number: Int
    /// The position of the first sample.
    let position: Int64
    /// The number of samples.
    let length: Int
    /// The size of the original packet in bytes.
    let size: Int
    /// The packet that is passed on; nil once it was dequeued.
    private var result: Packet?
    /// The original packet, for a decoder.
    let original: Packet

    init(_ packet: consuming Packet, number: Int, position: Int64, length: Int) {
        (self.number, self.position, self.length) = (number, position, length)
        size = packet.size
        result = try? packet.shared()
        original = packet
    }

    var range: Range<Int64> { position..<position + Int64(length) }

    /// The bytes of the original packet.
    var bytes: [UInt8] { original.bytes }

    /// Replaces the coded bytes; all else stays.
    func replace(_ bytes: [UInt8]) throws(SoundTranscoder.Failure) {
        guard let packet = result.take() else { return }
        do throws(MediaError) { result = try packet.replacing(bytes) } catch {
            throw SoundTranscoder.Failure(message: "out of memory")
        }
    }

    func dequeueResult() -> Packet? { result.take() }
}
