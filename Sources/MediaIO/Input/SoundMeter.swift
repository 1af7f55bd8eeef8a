internal import CFFmpeg

/// Measures the loudness of a recording's sound, for a waveform: the peak of each short interval, over all channels.
///
/// Call ``add(_:)`` with each packet of the sound's stream, and ``finish()`` at the end. Damaged sound counts as
/// silence. Used by one thread at a time.
///
/// `AVCodecContext`
@safe
package final class SoundMeter {
    /// The number of intervals a second.
    package let rate: Double
    /// The stream's index in its file.
    package let streamIndex: Int
    /// The peaks from the file's start on: 0 is silence, 255 full scale.
    package private(set) var peaks: [UInt8] = []

    private let context: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private let timeBase: TimeBase
    private let startTime: Double
    private let maximum: Int
    /// The start, in seconds, of the next frame if that frame has no time stamp.
    private var next = 0.0

    /// Opens a decoder for the first sound of a file.
    ///
    /// - Parameters:
    ///   - rate: Intervals a second.
    ///   - maximum: The maximum number of intervals; later ones are dropped.
    /// - Returns: nil if there is no sound, or no decoder for it.
    package init?(_ demuxer: Demuxer, rate: Double, maximum: Int) {
        guard let stream = demuxer.streams.first(where: { $0.kind == .audio }),
            let source = unsafe demuxer.context.pointee.streams[stream.index],
            let codec = unsafe avcodec_find_decoder(source.pointee.codecpar.pointee.codec_id),
            let fresh = unsafe avcodec_alloc_context3(codec), let frame = unsafe av_frame_alloc()
        else { return nil }
        let copied = unsafe avcodec_parameters_to_context(fresh, source.pointee.codecpar)
        unsafe fresh.pointee.pkt_timebase = source.pointee.time_base
        unsafe fresh.pointee.thread_count = 1
        unsafe (context, self.frame) = unsafe (fresh, frame)
        self.rate = rate
        self.maximum = maximum
        streamIndex = stream.index
        timeBase = stream.timeBase
        startTime = demuxer.startTime?.seconds ?? 0
        if unsafe copied < 0 || avcodec_open2(fresh, codec, nil) < 0 { return nil }
    }

    deinit {
        var (closing, ending): (UnsafeMutablePointer<AVCodecContext>?, UnsafeMutablePointer<AVFrame>?) =
            unsafe (context, frame)
        unsafe avcodec_free_context(&closing)
        unsafe av_frame_free(&ending)
    }

    /// Measures a packet; packets of other streams are ignored.
    ///
    /// `avcodec_send_packet`
    package func add(_ packet: borrowing Packet) {
        guard packet.streamIndex == streamIndex else { return }
        _ = unsafe avcodec_send_packet(context, packet.av)
        measureReady()
    }

    /// Measures the remaining frames of the decoder.
    package func finish() {
        _ = unsafe avcodec_send_packet(context, nil)
        measureReady()
    }

    private func measureReady() {
        while unsafe avcodec_receive_frame(context, frame) >= 0 { measure() }
    }

    private func measure() {
        let count = unsafe Int(frame.pointee.nb_samples)
        let sampleRate = unsafe Double(frame.pointee.sample_rate)
        guard count > 0, sampleRate > 0 else { return }
        let time = unsafe frame.pointee.best_effort_timestamp
        let start =
            time == cffmpeg_no_pts ? next : MediaTime(value: time, timeBase: timeBase).seconds - startTime
        next = start + Double(count) / sampleRate
        // A frame may cover several intervals, or a part of one.
        var sample = 0
        while sample < count {
            let place = Int(((start + Double(sample) / sampleRate) * rate).rounded(.down))
            let end = min(count, max(sample + 1, Int(((Double(place + 1) / rate - start) * sampleRate).rounded(.up))))
            if place >= 0, place < maximum { record(peak(of: sample..<end), at: place) }
            sample = end
        }
    }

    private func record(_ peak: Float, at place: Int) {
        while peaks.count <= place { peaks.append(0) }
        peaks[place] = max(peaks[place], UInt8(min(max(peak, 0), 1) * 255))
    }

    /// Returns the largest sample of all channels; full scale is 1.
    private func peak(of samples: Range<Int>) -> Float {
        let format = unsafe AVSampleFormat(rawValue: frame.pointee.format)
        let channels = unsafe Int(frame.pointee.ch_layout.nb_channels)
        let isPlanar = av_sample_fmt_is_planar(format) != 0
        var largest: Float = 0
        for plane in 0..<(isPlanar ? min(channels, 8) : 1) {
            guard let data = unsafe frame.pointee.extended_data[plane] else { continue }
            let range = isPlanar ? samples : samples.lowerBound * channels..<samples.upperBound * channels
            largest = unsafe max(largest, Self.peak(UnsafeRawPointer(data), range, av_get_packed_sample_fmt(format)))
        }
        return largest
    }

    @unsafe
    private static func peak(_ data: UnsafeRawPointer, _ range: Range<Int>, _ format: AVSampleFormat) -> Float {
        func largest<Sample>(_ type: Sample.Type, _ level: (Sample) -> Float) -> Float {
            var largest: Float = 0
            for index in range {
                largest = unsafe max(
                    largest, level(data.loadUnaligned(fromByteOffset: index * MemoryLayout<Sample>.stride, as: type)))
            }
            return largest
        }
        return switch format {
        case AV_SAMPLE_FMT_FLT: largest(Float.self) { $0.magnitude }
        case AV_SAMPLE_FMT_DBL: largest(Double.self) { Float($0.magnitude) }
        case AV_SAMPLE_FMT_S16: largest(Int16.self) { Float($0.magnitude) / 32768 }
        case AV_SAMPLE_FMT_S32: largest(Int32.self) { Float($0.magnitude) / 2_147_483_648 }
        case AV_SAMPLE_FMT_U8: largest(UInt8.self) { (Float($0) - 128).magnitude / 128 }
        default: 0
        }
    }
}
