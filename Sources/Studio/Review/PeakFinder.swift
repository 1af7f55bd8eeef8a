import MediaIO
import Pipeline
package import Reactions
package import SessionSettings

/// Measures the peaks of a recording's sound over time, for the waveform in `flourish review`. Blocks while the
/// recording is read.
package enum PeakFinder {
    /// The number of intervals in a second.
    package static let rate = 50.0
    /// The maximum number of intervals, which cover 23 hours; later sound has no peaks.
    private static let maximum = 1 << 22

    /// Decodes all sound of a recording, and nothing else.
    ///
    /// - Returns: The peak of each interval, 0…255; empty without sound.
    /// - Throws: ``FlourishError``.
    package static func peaks(
        of input: String, _ configuration: Configuration, interrupt: Interruption
    ) throws(FlourishError) -> [UInt8] {
        do {
            let demuxer = try Demuxer.open(input, configuration, interrupt: interrupt.flag)
            guard let meter = SoundMeter(demuxer, rate: rate, maximum: maximum) else { return [] }
            demuxer.readOnly(stream: meter.streamIndex)
            while let packet = try demuxer.readPacket() { meter.add(packet) }
            meter.finish()
            return meter.peaks
        } catch {
            throw FlourishError(describing: error)
        }
    }
}

/// Interrupts the reading of a recording.
package final class Interruption: Sendable {
    let flag = InterruptFlag()

    package init() {}

    /// Requests the interruption.
    package func raise() { flag.raise() }
}
