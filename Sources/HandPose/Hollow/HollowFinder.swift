internal import Raster

/// Looks for hollows with the shape of a heart.
///
/// The hollow between two hands is brighter or darker than both of them, or of another colour,
/// all along its border. So the picture is cut at a number of levels of its luma and of both
/// differences of colour, and the shape of each region that the cuts leave is looked at; what is seen
/// at several levels is there. The idea is that of maximally stable extremal regions (J. Matas, O. Chum,
/// M. Urban, T. Pajdla, "Robust wide baseline stereo from maximally stable extremal regions", BMVC 2002).
struct HollowFinder: ~Copyable {
    /// The longer side of the picture that is looked at, in pixels.
    private static let longSide = 256
    /// The number of levels for each channel, and at how many of them a hollow must be seen.
    private static let levels = 64.0, leastLevels = 4
    /// Levels are no closer than this: samples have 8 bits.
    private static let leastStep = 2.0
    /// The share of the samples below the levels, and of those above them: less than a hollow's.
    private static let tails = 0.002
    /// A channel whose samples differ by less shows nothing.
    private static let leastContrast = 8
    /// The share of the picture that a hollow takes. Hands with a smaller one are not seen well enough.
    private static let shares = 0.004...0.35

    private var small = SmallPicture()
    private var regions = LevelRegions()

    init() {}

    /// - Returns: the hollows, those seen at the most levels first.
    mutating func hollows(in picture: borrowing Picture, geometry: DisplayGeometry) -> [Hollow] {
        small.draw(picture, geometry: geometry, longSide: Self.longSide)
        var found: [Hollow] = []
        for channel in SmallPicture.Channel.allCases {
            small.select(channel)
            for hollow in hollowsOfChannel() where !found.contains(where: hollow.isSame) { found.append(hollow) }
        }
        return found.sorted { $0.levels > $1.levels }
    }

    private mutating func hollowsOfChannel() -> [Hollow] {
        let (low, high) = small.quantiles(Self.tails, 1 - Self.tails)
        guard high - low >= Self.leastContrast else { return [] }
        let step = max(Self.leastStep, Double(high - low) / Self.levels)
        let levels = stride(from: Double(low) + step, to: Double(high), by: step).map { UInt8($0) }
        regions.take(small.samples, width: small.width, height: small.height, levels: levels)
        var found: [Hollow] = []
        for (index, level) in levels.enumerated() {
            for region in regions.inner(at: index) {
                guard let hollow = hollow(region, level: level) else { continue }
                if let known = found.firstIndex(where: hollow.isSame) {
                    found[known].levels += 1
                } else {
                    found.append(hollow)
                }
            }
        }
        return found.filter { $0.levels >= Self.leastLevels }
    }

    private borrowing func hollow(_ region: LevelRegion, level: UInt8) -> Hollow? {
        let pixels = Double(small.width * small.height)
        // Holes may take half of it: the sun, say, or a face.
        guard 2 * Double(region.area) > Self.shares.lowerBound * pixels,
            Double(region.area) < Self.shares.upperBound * pixels,
            4 * region.width > 3 * region.height, 4 * region.width < 7 * region.height,
            let outline = RegionOutline(
                of: region, in: small.samples, width: small.width, level: level,
                limit: 6 * (region.width + region.height)),
            outline.area > Self.shares.lowerBound * pixels, outline.roundness > 0.4,
            let profile = RadialProfile(outline), profile.starArea < 1.15
        else { return nil }
        let shape = HeartShape(profile)
        return shape.isHeart ? Hollow(region, outline, profile, shape, scale: small.scale) : nil
    }
}
