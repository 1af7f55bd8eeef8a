import Platform
internal import Raster

/// Detects holes with the shape of a heart: gaps between two hands. ``HandTracker`` owns it; its only state is when to
/// search for small holes.
///
/// The hole between two hands is brighter or darker than both hands, or has another colour, all along its border. So
/// the picture is thresholded at a number of levels of its luma and of both chroma channels, and the shape of each
/// resulting region is examined. A hole must appear at several levels. The method is that of maximally stable extremal
/// regions (J. Matas, O. Chum, M. Urban, T. Pajdla, "Robust wide baseline stereo from maximally stable extremal
/// regions", BMVC 2002).
///
/// The whole picture is searched coarsely. Small holes are far more numerous. So they are searched for in every second
/// picture, and in each picture after one with a small hole.
struct HoleFinder: ~Copyable {
    /// The minimum distance between levels, in 8-bit code values.
    private static let minimumStep = 2.0
    /// The share of the samples below the lowest and above the highest level. The share is smaller than that of a hole.
    private static let tails = 0.002
    /// The minimum range of a channel's samples, in 8-bit code values; a channel with less is not searched.
    private static let minimumContrast = 8

    private var small = SmallPicture()
    private var regions = LevelRegions()
    private var isFineDue = true

    init() {}

    /// Resets the state from the last picture, as after a cut.
    mutating func reset() { isFineDue = true }

    /// - Parameter isThorough: Whether to search for small holes in any case.
    /// - Returns: The holes, sorted by the number of levels that show them.
    mutating func holes(
        in picture: borrowing Picture, geometry: DisplayGeometry, isThorough: Bool = false
    ) -> [Hole] {
        var found = holes(.coarse, in: picture, geometry)
        if isFineDue || isThorough {
            let smallOnes = holes(.fine, in: picture, geometry)
            isFineDue = !smallOnes.isEmpty
            found.join(smallOnes)
        } else {
            isFineDue = true
        }
        return found.sorted { $0.levels > $1.levels }
    }

    private mutating func holes(
        _ pass: HolePass, in picture: borrowing Picture, _ geometry: DisplayGeometry
    ) -> [Hole] {
        small.draw(picture, geometry: geometry, longSide: pass.longSide)
        var found: [Hole] = []
        for channel in pass.channels {
            small.select(channel)
            found.join(holesOfChannel(pass))
        }
        return found
    }

    private mutating func holesOfChannel(_ pass: HolePass) -> [Hole] {
        let (low, high) = small.quantiles(Self.tails, 1 - Self.tails)
        guard high - low >= Self.minimumContrast else { return [] }
        let step = max(Self.minimumStep, Double(high - low) / Double(pass.levels))
        let levels = stride(from: Double(low) + step, to: Double(high), by: step).map { UInt8($0) }
        regions.load(small.samples, width: small.width, height: small.height, levels: levels)
        var found: [Hole] = []
        for (index, level) in levels.enumerated() {
            for region in regions.inner(at: index) {
                guard var hole = hole(region, level: level, shares: pass.shares) else { continue }
                if let known = found.firstIndex(where: hole.isSame) {
                    found[known].levels += pass.weight
                } else {
                    hole.levels = pass.weight
                    found.append(hole)
                }
            }
        }
        return found.filter { $0.levels >= pass.minimumLevels }
    }

    private borrowing func hole(_ region: LevelRegion, level: UInt8, shares: ClosedRange<Double>) -> Hole? {
        let pixels = Double(small.width * small.height)
        // Up to half of the region may be holes in it, such as the sun or a face, which its area does not include.
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
        return shape.isHeart ? Hole(region, outline, profile, shape, scale: small.scale) : nil
    }
}

extension [Hole] {
    /// Adds holes; of duplicates it keeps the hole that appears at more levels.
    fileprivate mutating func join(_ others: [Hole]) {
        for other in others {
            if let known = firstIndex(where: other.isSame) {
                if other.levels > self[known].levels { self[known] = other }
            } else {
                append(other)
            }
        }
    }
}

/// A region of a picture with the shape of a heart: possibly the hole between two hands that make a heart.
///
/// Places are in upright pixels.
struct Hole {
    var centre: Point
    /// The places of the notch at the top and of the tip at the bottom.
    var notch: Point, tip: Point
    /// The size of the hole's bounding box.
    var width: Double, height: Double
    /// The rotation from upright, clockwise, in radians.
    var axis: Double
    /// The number of levels at which the hole appears, in levels of ``HolePass/coarse``.
    var levels = 1

    /// - Parameter scale: Upright pixels for each pixel of the outline.
    init(_ region: LevelRegion, _ outline: RegionOutline, _ profile: RadialProfile, _ shape: HeartShape, scale: Double)
    {
        let centre = Point(x: outline.centre.x * scale, y: outline.centre.y * scale)
        let axis = Double(shape.axis) * HeartShape.step
        let unit = profile.unit * scale
        func place(_ radius: Double) -> Point {
            Point(x: centre.x + radius * unit * sin(axis), y: centre.y - radius * unit * cos(axis))
        }
        notch = place(shape.notch)
        tip = place(-shape.tip)
        (self.centre, self.axis) = (centre, axis)
        width = Double(region.width) * scale
        height = Double(region.height) * scale
    }

    /// Creates a hole from its two ends. Between hands it is a little wider than high.
    init(notch: Point, tip: Point, axis: Double) {
        (self.notch, self.tip, self.axis) = (notch, tip, axis)
        centre = Point(x: (notch.x + tip.x) / 2, y: (notch.y + tip.y) / 2)
        height = notch.distance(to: tip)
        width = 1.2 * height
    }

    /// The side of a square with the same area.
    var size: Double { (width * height).squareRoot() }

    /// Returns whether this and `other` can be one hole that was detected at different levels.
    func isSame(as other: Hole) -> Bool { isLike(other, distance: 0.15, growth: 1.25) }

    /// Returns whether this hole can be `other` a moment later.
    func mayFollow(_ other: Hole) -> Bool { isLike(other, distance: 0.5, growth: 1.5) }

    /// - Parameters:
    ///   - distance: The maximum distance of the centres, in sizes of the larger hole.
    ///   - growth: The maximum ratio of sizes.
    private func isLike(_ other: Hole, distance: Double, growth: Double) -> Bool {
        centre.distance(to: other.centre) < distance * max(size, other.size)
            && size < growth * other.size && other.size < growth * size
    }
}

/// The parameters of one search of a picture for holes.
private struct HolePass {
    /// The longer side of the reduced picture, in pixels.
    let longSide: Int
    let channels: [SmallPicture.Channel]
    /// The number of levels for each channel.
    let levels: Int
    /// The minimum number of levels that must show a hole, in levels of the coarse pass.
    let minimumLevels: Int
    /// The limits of a hole's area, as shares of the picture.
    let shares: ClosedRange<Double>

    /// The number of levels of the coarse pass that correspond to one level of this pass.
    var weight: Int { Self.coarse.levels / levels }

    static let coarse = HolePass(
        longSide: 256, channels: SmallPicture.Channel.allCases, levels: 64, minimumLevels: 4,
        shares: 0.004...0.35)
    /// The pass for the holes of small hands. The pass finds only holes with a clear border in luma.
    static let fine = HolePass(
        longSide: 512, channels: [.luma], levels: 32, minimumLevels: 8, shares: 0.001...0.006)
}

/// A hole in a video around which no hands have been found so far.
struct UnconfirmedHole {
    var hole: Hole
    /// The time of the last detection.
    var time: Double
    /// The number of searches for hands around the hole, and the time of the next search in seconds.
    private(set) var tries = 0
    private(set) var nextTry: Double

    /// The seconds after which an undetected hole is dropped.
    static let memory = 8.0

    init(hole: Hole, time: Double) {
        self.hole = hole
        self.time = time
        nextTry = time
    }

    /// Returns whether hands should be searched around the hole without waiting for the next regular search. A hole
    /// that was detected recently is urgent, because hands that rise to make a heart may have arrived.
    func isUrgent(at time: Double) -> Bool { tries < 3 && time >= nextTry && time - self.time < 1.2 }

    /// Records a search without hands. The next search follows after 0.4 s; each further wait doubles, up to eight
    /// seconds.
    mutating func recordFailure(at time: Double) {
        tries += 1
        nextTry = time + min(Double(1 << tries) / 5, 8)
    }
}

/// A reduced upright copy of a picture, of which one channel is used at a time. ``HoleFinder`` owns it.
struct SmallPicture: ~Copyable {
    /// A channel that separates a hand from the background.
    enum Channel: Int, CaseIterable {
        case luma, cb, cr
    }

    private(set) var width = 0, height = 0
    /// The number of upright pixels along one side of a reduced pixel.
    private(set) var scale = 1.0
    /// The channel that was selected last: `width` × `height` codes of 8 bits, row after row.
    private(set) var samples: [UInt8] = []

    private var resampler = TensorResampler()
    /// The channels of the picture before smoothing.
    private var luma: [UInt8] = [], cb: [UInt8] = [], cr: [UInt8] = []

    init() {}

    /// Copies a picture.
    /// - Parameter longSide: The longer side of the reduced picture in pixels.
    mutating func draw(_ picture: borrowing Picture, geometry: DisplayGeometry, longSide: Int) {
        scale = max(geometry.uprightWidth, geometry.uprightHeight) / Double(longSide)
        width = max(8, Int((geometry.uprightWidth / scale).rounded()))
        height = max(8, Int((geometry.uprightHeight / scale).rounded()))
        let count = width * height
        if samples.count != count {
            samples = [UInt8](repeating: 0, count: count)
            (luma, cb, cr) = (samples, samples, samples)
        }
        let toStored = AffineTransform.scale(x: scale, y: scale).then(geometry.uprightToStored)
        resampler.resamplePlanes(
            picture, toStored: toStored, width: width, height: height, luma: &luma, cb: &cb, cr: &cr)
    }

    /// Fills ``samples``, smoothed slightly against noise.
    mutating func select(_ channel: Channel) {
        switch channel {
        case .luma: Self.smooth(luma, width: width, height: height, into: &samples)
        case .cb: Self.smooth(cb, width: width, height: height, into: &samples)
        case .cr: Self.smooth(cr, width: width, height: height, into: &samples)
        }
    }

    /// Applies the binomial weights 1 2 1 across and down; the border does not change.
    private static func smooth(_ rough: [UInt8], width: Int, height: Int, into samples: inout [UInt8]) {
        samples = rough
        let rough = rough.span
        var smooth = samples.mutableSpan
        for y in 1..<height - 1 {
            let start = y * width
            let above = rough.extracting(start - width..<start)
            let below = rough.extracting(start + width..<start + 2 * width)
            let line = rough.extracting(start..<start + width)
            for x in 1..<width - 1 {
                let left = down(above[x &- 1], line[x &- 1], below[x &- 1])
                let middle = down(above[x], line[x], below[x])
                let right = down(above[x &+ 1], line[x &+ 1], below[x &+ 1])
                smooth[start &+ x] = UInt8(truncatingIfNeeded: (left &+ 2 &* middle &+ right &+ 8) &>> 4)
            }
        }
    }

    @inline(__always)
    private static func down(_ above: UInt8, _ line: UInt8, _ below: UInt8) -> UInt16 {
        UInt16(above) &+ 2 &* UInt16(line) &+ UInt16(below)
    }

    /// Returns the values that these shares of the samples do not exceed.
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
