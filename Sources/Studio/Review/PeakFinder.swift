import MediaIO
package import Pipeline
package import Reactions

/// Finds out how loud a recording is over time, for a picture of its sound.
package enum PeakFinder {
    /// Stretches a second.
    package static let rate = 50.0
    /// Stretches that are kept: a day and more would be in vain on a screen.
    private static let most = 1 << 22

    /// Decodes all of a recording's sound, and nothing else.
    ///
    /// - Returns: the peak of each stretch, 0…255; nothing where there is no sound.
    /// - Throws: ``FlourishError``.
    package static func peaks(
        of input: String, _ configuration: Configuration, interrupt: Interruption
    ) throws(FlourishError) -> [UInt8] {
        do {
            let demuxer = try Demuxer.open(input, configuration, interrupt: interrupt.flag)
            guard let meter = SoundMeter(demuxer, rate: rate, most: most) else { return [] }
            demuxer.readOnly(stream: meter.streamIndex)
            while let packet = try demuxer.readPacket() { meter.add(packet) }
            meter.finish()
            return meter.peaks
        } catch {
            throw FlourishError(describing: error)
        }
    }
}

/// Ends what reads a recording.
package final class Interruption: Sendable {
    let flag = InterruptFlag()

    package init() {}

    /// Ends it soon.
    package func raise() { flag.raise() }
}
