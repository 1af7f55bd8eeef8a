internal import Raster

/// A picture drawn small and upright, one channel at a time.
struct SmallPicture: ~Copyable {
    /// A channel that tells a hand from what is behind it.
    enum Channel: CaseIterable {
        case luma, blue, red

        /// What R′, G′ and B′ (0…1) contribute to a sample of 0…255, and what is added (ITU-R BT.601).
        fileprivate var weights: (r: Float, g: Float, b: Float, offset: Float) {
            switch self {
            case .luma: (76.2, 149.7, 29.1, 0)
            case .blue: (-43, -84.5, 127.5, 128)
            case .red: (127.5, -106.8, -20.7, 128)
            }
        }
    }

    private(set) var width = 0, height = 0
    /// Upright pixels for each of its pixels.
    private(set) var scale = 1.0
    /// The channel that was asked for last: `width` × `height` samples, row after row.
    private(set) var samples: [UInt8] = []

    private var resampler = TensorResampler()
    /// Interleaved, 0…1.
    private var rgb: [Float] = []
    /// The channel before it is smoothed.
    private var rough: [UInt8] = []

    init() {}

    /// Takes a picture.
    /// - Parameter longSide: the longer side of the small picture in pixels.
    mutating func draw(_ picture: borrowing Picture, geometry: DisplayGeometry, longSide: Int) {
        scale = max(geometry.uprightWidth, geometry.uprightHeight) / Double(longSide)
        width = max(8, Int((geometry.uprightWidth / scale).rounded()))
        height = max(8, Int((geometry.uprightHeight / scale).rounded()))
        let count = width * height
        if samples.count != count {
            rgb = [Float](repeating: 0, count: 3 * count)
            rough = [UInt8](repeating: 0, count: count)
            samples = rough
        }
        let toStored = AffineTransform.scale(x: scale, y: scale).then(geometry.uprightToStored)
        Self.resample(picture, toStored, width: width, height: height, with: &resampler, into: &rgb)
    }

    private static func resample(
        _ picture: borrowing Picture, _ toStored: AffineTransform, width: Int, height: Int,
        with resampler: inout TensorResampler, into rgb: inout [Float]
    ) {
        var tensor = rgb.mutableSpan
        resampler.resample(
            picture, toStored: toStored, border: .replicate, width: width, height: height, into: &tensor)
    }

    /// Fills ``samples``, smoothed a little against noise.
    mutating func select(_ channel: Channel) {
        let (r, g, b, offset) = channel.weights
        for index in rough.indices {
            let value = rgb[3 * index] * r + rgb[3 * index + 1] * g + rgb[3 * index + 2] * b + offset
            rough[index] = UInt8(max(0, min(255, value)))
        }
        samples = rough
        // Binomial weights, 1 2 1 across and down.
        for y in 1..<height - 1 {
            for x in 1..<width - 1 {
                let place = y * width + x
                let sum = across(place - width) + 2 * across(place) + across(place + width)
                samples[place] = UInt8((sum + 8) >> 4)
            }
        }
    }

    private func across(_ place: Int) -> Int {
        Int(rough[place - 1]) + 2 * Int(rough[place]) + Int(rough[place + 1])
    }

    /// The values below which these shares of the samples are.
    func quantiles(_ low: Double, _ high: Double) -> (low: Int, high: Int) {
        var histogram = [Int](repeating: 0, count: 256)
        for value in samples { histogram[Int(value)] += 1 }
        func value(_ share: Double) -> Int {
            let wanted = share * Double(samples.count)
            var sum = 0
            return histogram.firstIndex {
                sum += $0
                return Double(sum) > wanted
            } ?? 255
        }
        return (value(low), value(high))
    }
}
