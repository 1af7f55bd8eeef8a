import Raster

@testable import Vision

extension PersonMask {
    /// The mask of each frame of a video.
    func masks(
        frames: Int, rate: Double, from start: Double, geometry: DisplayGeometry, picture: (Int) -> PlainPicture
    ) throws -> [BandMask?] {
        try (0..<frames).map { index in
            try picture(index).lend {
                try mask(of: $0, geometry: geometry, at: start + Double(index) / rate)
            }
        }
    }
}
