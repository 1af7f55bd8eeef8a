internal import Raster

/// Looks for hollows with the shape of a heart.
///
/// The hollow between two hands is brighter or darker than both of them, or of another colour,
/// all along its border. So the picture is cut at a number of levels of its luma and of both
/// differences of colour, and the shape of each region that the cuts leave is looked at; what is seen
/// at several levels is there. The idea is that of maximally stable extremal regions (J. Matas, O. Chum,
/// M. Urban, T. Pajdla, "Robust wide baseline stereo from maximally stable extremal regions", BMVC 2002).
///
/// The whole picture is searched coarsely. Of small hollows there are many more, so they are searched for in every second
/// picture, and in the one after each that showed one.
struct HollowFinder: ~Copyable {
    /// Levels are no closer than this: samples have 8 bits.
    private static let leastStep = 2.0
    /// The share of the samples below the levels, and of those above them: less than a hollow's.
    private static let tails = 0.002
    /// A channel whose samples differ by less shows nothing.
    private static let leastContrast = 8

    private var small = SmallPicture()
    private var regions = LevelRegions()
    private var isFineDue = true

    init() {}

    /// Forgets what the last picture showed, as after a cut.
    mutating func reset() { isFineDue = true }

    /// - Parameter isThorough: whether small ones are searched for in any case.
    /// - Returns: the hollows, those seen at the most levels first.
    mutating func hollows(
        in picture: borrowing Picture, geometry: DisplayGeometry, isThorough: Bool = false
    ) -> [Hollow] {
        var found = hollows(.coarse, in: picture, geometry)
        if isFineDue || isThorough {
            let smallOnes = hollows(.fine, in: picture, geometry)
            isFineDue = !smallOnes.isEmpty
            found.join(smallOnes)
        } else {
            isFineDue = true
        }
        return found.sorted { $0.levels > $1.levels }
    }

    private mutating func hollows(
        _ pass: HollowPass, in picture: borrowing Picture, _ geometry: DisplayGeometry
    ) -> [Hollow] {
        small.draw(picture, geometry: geometry, longSide: pass.longSide)
        var found: [Hollow] = []
        for channel in pass.channels {
            small.select(channel)
            found.join(hollowsOfChannel(pass))
        }
        return found
    }

    private mutating func hollowsOfChannel(_ pass: HollowPass) -> [Hollow] {
        let (low, high) = small.quantiles(Self.tails, 1 - Self.tails)
        guard high - low >= Self.leastContrast else { return [] }
        let step = max(Self.leastStep, Double(high - low) / Double(pass.levels))
        let levels = stride(from: Double(low) + step, to: Double(high), by: step).map { UInt8($0) }
        regions.take(small.samples, width: small.width, height: small.height, levels: levels)
        var found: [Hollow] = []
        for (index, level) in levels.enumerated() {
            for region in regions.inner(at: index) {
                guard var hollow = hollow(region, level: level, shares: pass.shares) else { continue }
                if let known = found.firstIndex(where: hollow.isSame) {
                    found[known].levels += pass.weight
                } else {
                    hollow.levels = pass.weight
                    found.append(hollow)
                }
            }
        }
        return found.filter { $0.levels >= pass.leastLevels }
    }

    private borrowing func hollow(_ region: LevelRegion, level: UInt8, shares: ClosedRange<Double>) -> Hollow? {
        let pixels = Double(small.width * small.height)
        // Holes may take half of it: the sun, say, or a face.
        guard 2 * Double(region.area) > shares.lowerBound * pixels,
            Double(region.area) < shares.upperBound * pixels,
            4 * region.width > 3 * region.height, 4 * region.width < 7 * region.height,
            let outline = RegionOutline(
                of: region, in: small.samples, width: small.width, level: level,
                limit: 6 * (region.width + region.height)),
            outline.area > shares.lowerBound * pixels, outline.roundness > 0.4,
            let profile = RadialProfile(outline), profile.starArea < 1.15
        else { return nil }
        let shape = HeartShape(profile)
        return shape.isHeart ? Hollow(region, outline, profile, shape, scale: small.scale) : nil
    }
}

extension [Hollow] {
    /// Adds others; of those that are here already it keeps the plainer ones.
    fileprivate mutating func join(_ others: [Hollow]) {
        for other in others {
            if let known = firstIndex(where: other.isSame) {
                if other.levels > self[known].levels { self[known] = other }
            } else {
                append(other)
            }
        }
    }
}
