import Platform

/// Measures of the similarity of a region's border to the hole between two hands that make a heart. ``HoleFinder``
/// computes them for each region.
///
/// The unit of all radii is the radius of a circle of the same area.
struct HeartShape {
    /// The heart's rotation from upright, in steps of ``RadialProfile``, clockwise.
    let axis: Int
    /// The mean difference of radii between the halves on both sides of the axis.
    let asymmetry: Double
    /// The radius of the notch at the top and of the tip at the bottom.
    let notch: Double, tip: Double
    /// The maximum radius of each lobe beside the notch.
    let lobes: (left: Double, right: Double)
    /// The height of the lower one of both lobes above the centroid.
    let shoulder: Double
    /// The mean radius of the sides.
    let side: Double

    /// The step of the profile, 7.5° in radians, and the maximum rotation of a heart in steps.
    static let step = 2 * Double.pi / Double(RadialProfile.count)
    private static let largestTurn = 4

    /// Finds the axis that divides the region into the most similar halves.
    init(_ profile: RadialProfile) {
        let half = RadialProfile.count / 2
        func asymmetry(about axis: Int) -> Double {
            (1..<half).reduce(0) { $0 + abs(profile[axis + $1] - profile[axis - $1]) } / Double(half)
        }
        let turns = (-Self.largestTurn...Self.largestTurn).map { ($0, asymmetry(about: $0)) }
        let (axis, minimum) = turns.min { $0.1 < $1.1 }!
        self.axis = axis
        self.asymmetry = minimum
        func radii(_ steps: ClosedRange<Int>) -> [Double] { steps.map { profile[axis + $0] } }
        // The notch is within 15° of up, the lobes from 22° to 75° beside it, and the sides straight across.
        notch = radii(-2...2).min()!
        tip = radii(half - 2...half + 2).max()!
        lobes = (radii(-10 ... -3).max()!, radii(3...10).max()!)
        func height(_ steps: ClosedRange<Int>) -> Double {
            steps.map { profile[axis + $0] * cos(Double($0) * Self.step) }.max()!
        }
        shoulder = min(height(-10 ... -3), height(3...10))
        side = (radii(10...14) + radii(-14 ... -10)).reduce(0, +) / 10
    }

    /// A Boolean value that indicates whether the region can be the hole of a heart. The limits include, with a margin,
    /// the holes of hearts in photos: notches of 0.3 to 0.75, and lobes of twice that. A rectangle is excluded, because
    /// the middle of its upper side is not lower than its corners.
    var isHeart: Bool {
        asymmetry < 0.2 && min(lobes.left, lobes.right) > 1.4 * notch && side > 1.05
            && min(lobes.left, lobes.right) > 0.8 * max(lobes.left, lobes.right)
            && notch < 0.93 * shoulder && tip > 1.15 * notch
    }
}
