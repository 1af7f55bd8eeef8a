internal import CFFmpeg

/// Access to the samples of a frame in any format, as numbers that are 1 at full scale.
@safe
struct SampleAccess {
    private let planes: [UnsafeMutableRawPointer?]
    private let format: AVSampleFormat
    /// The number of channels in a plane, and in all planes.
    private let channels: Int, channelCount: Int
    /// The number of samples in each channel.
    let count: Int

    /// - Precondition: The value is not used after the frame was freed or filled again.
    @unsafe
    init(_ frame: borrowing FrameHandle) {
        let stored = AVSampleFormat(frame.format)
        let isPlanar = av_sample_fmt_is_planar(stored) != 0
        channelCount = frame.channelCount
        channels = isPlanar ? 1 : channelCount
        format = av_get_packed_sample_fmt(stored)
        count = Int(frame.nb_samples)
        var planes: [UnsafeMutableRawPointer?] = unsafe []
        for plane in 0..<(isPlanar ? channelCount : 1) {
            unsafe planes.append(UnsafeMutableRawPointer(frame.plane(plane)))
        }
        unsafe self.planes = unsafe planes
    }

    /// Returns the mean of all channels.
    func mixedDown() -> [Float] {
        (0..<count).map { index in
            (0..<channelCount).reduce(Float(0)) { $0 + load(index, $1) } / Float(channelCount)
        }
    }

    /// Returns the largest magnitude of samples of all channels.
    func peak(of samples: Range<Int>) -> Float {
        var largest: Float = 0
        for channel in 0..<channelCount {
            for index in samples { largest = max(largest, load(index, channel).magnitude) }
        }
        return largest
    }

    private func place(_ index: Int, _ channel: Int, _ size: Int) -> UnsafeMutableRawPointer? {
        unsafe channels == 1
            ? planes[min(channel, planes.count - 1)].map { unsafe $0 + index * size }
            : planes[0].map { unsafe $0 + (index * channels + channel) * size }
    }

    func load(_ index: Int, _ channel: Int) -> Float {
        func value<T>(_ type: T.Type, _ convert: (T) -> Float) -> Float {
            unsafe place(index, channel, MemoryLayout<T>.size).map { unsafe convert($0.loadUnaligned(as: type)) } ?? 0
        }
        return switch format {
        case AV_SAMPLE_FMT_FLT: value(Float.self) { $0 }
        case AV_SAMPLE_FMT_DBL: value(Double.self) { Float($0) }
        case AV_SAMPLE_FMT_S16: value(Int16.self) { Float($0) / 32768 }
        case AV_SAMPLE_FMT_S32: value(Int32.self) { Float($0) / 2_147_483_648 }
        case AV_SAMPLE_FMT_U8: value(UInt8.self) { (Float($0) - 128) / 128 }
        default: 0
        }
    }

    func store(_ sample: Float, _ index: Int, _ channel: Int) {
        func put<T>(_ value: T) {
            unsafe place(index, channel, MemoryLayout<T>.size)?.storeBytes(of: value, as: T.self)
        }
        /// Rounds to a whole number within a range; full scale may be beyond the greatest one.
        func whole(_ scale: Double, _ range: ClosedRange<Double>) -> Double {
            min(max((Double(sample) * scale).rounded(), range.lowerBound), range.upperBound)
        }
        switch format {
        case AV_SAMPLE_FMT_FLT: put(sample)
        case AV_SAMPLE_FMT_DBL: put(Double(sample))
        case AV_SAMPLE_FMT_S16: put(Int16(whole(32768, -32768...32767)))
        case AV_SAMPLE_FMT_S32: put(Int32(whole(2_147_483_648, -2_147_483_648...2_147_483_647)))
        case AV_SAMPLE_FMT_U8: put(UInt8(whole(128, -128...127) + 128))
        default: break
        }
    }
}
