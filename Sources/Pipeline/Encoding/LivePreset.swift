import MediaIO
import Platform
import Raster

/// Which of the presets of x264 and x265 a live run takes where nobody chose one: a frame that takes longer than it is
/// shown holds up all that follow, so what there is to encode must leave each core some room.
package enum LivePreset {
    /// Pixels a second for each core from which on the usual preset is too slow, and the next one, too. Measured on two
    /// cores of a rented server with confetti all the time: 1080p at 30 a second is 31 million.
    private static let limits = [(60e6, "ultrafast"), (25e6, "superfast")]

    /// The preset for a stream on this machine.
    static func name(_ video: VideoStreamInfo) -> String? {
        let rate = video.averageFrameRate
        return name(
            width: Int(video.geometry.uprightWidth), height: Int(video.geometry.uprightHeight),
            rate: rate.isPositive ? rate.value : nil, cores: Machine.cores)
    }

    /// - Parameters:
    ///   - rate: frames a second; 30 where nobody knows.
    ///   - cores: how many the machine has.
    /// - Returns: `nil` for the usual one.
    package static func name(width: Int, height: Int, rate: Double?, cores: Int) -> String? {
        let share = Double(width * height) * (rate ?? 30) / Double(max(cores, 1))
        return limits.first { share > $0.0 }?.1
    }
}
