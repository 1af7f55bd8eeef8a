/// Measures the loudness of a recording's sound, for a waveform: the peak of each short interval, over all channels.
///
/// Call ``add(_:)`` with each packet of the sound's stream, and ``finish()`` at the end. Damaged sound counts as
/// silence. Used by one thread at a time.
package final class SoundMeter {
    /// The number of intervals a second.
    package let rate: Double
    /// The peaks from the file's start on: 0 is silence, 255 full scale.
    package private(set) var peaks: [UInt8] = []

    private let reader: SoundReader
    private let startTime: Double
    private let maximum: Int

    /// Opens a decoder for the first sound of a file.
    ///
    /// - Parameters:
    ///   - rate: Intervals a second.
    ///   - maximum: The maximum number of intervals; later ones are dropped.
    /// - Returns: nil if there is no sound, or no decoder for it.
    package init?(_ demuxer: Demuxer, rate: Double, maximum: Int) {
        guard let reader = SoundReader(demuxer) else { return nil }
        (self.reader, self.rate, self.maximum) = (reader, rate, maximum)
        startTime = demuxer.startTime?.seconds ?? 0
    }

    /// The sound's index in its file.
    package var streamIndex: Int { reader.streamIndex }

    /// Measures a packet; packets of other streams are ignored.
    package func add(_ packet: borrowing Packet) { reader.add(packet, measure) }

    /// Measures the remaining frames of the decoder.
    package func finish() { reader.finish(measure) }

    private func measure(_ frame: SoundReader.Frame) {
        let (start, count) = (frame.start - startTime, frame.samples.count)
        // A frame may cover several intervals, or a part of one.
        var sample = 0
        while sample < count {
            let place = Int(SoundTime.limited((start + Double(sample) / frame.rate) * rate).rounded(.down))
            let next = SoundTime.limited((Double(place + 1) / rate - start) * frame.rate)
            let end = min(count, max(sample + 1, Int(next.rounded(.up))))
            if place >= 0, place < maximum { record(frame.samples.peak(of: sample..<end), at: place) }
            sample = end
        }
    }

    private func record(_ peak: Float, at place: Int) {
        while peaks.count <= place { peaks.append(0) }
        peaks[place] = max(peaks[place], UInt8(min(max(peak, 0), 1) * 255))
    }
}
