import Platform

/// How much a region's border looks like that of a heart: the hollow between two hands that make one.
///
/// All radii are in those of a circle of the same area.
struct HeartShape {
    /// How far the heart is turned from standing upright, in steps of ``RadialProfile``, clockwise.
    let axis: Int
    /// The mean difference between the halves on both sides of the axis.
    let asymmetry: Double
    /// The radius of the notch on top and of the tip below.
    let notch: Double, tip: Double
    /// The largest radius of each lobe beside the notch.
    let lobes: (left: Double, right: Double)
    /// How high the lower one of the lobes reaches over the middle.
    let shoulder: Double
    /// The mean radius of the sides.
    let side: Double

    /// Steps of a turn by 7.5°, and the most that a heart may be turned.
    static let step = 2 * Double.pi / Double(RadialProfile.count)
    private static let largestTurn = 4

    /// Looks for the axis that parts the region into the likest halves.
    init(_ profile: RadialProfile) {
        let half = RadialProfile.count / 2
        func asymmetry(about axis: Int) -> Double {
            (1..<half).reduce(0) { $0 + abs(profile[axis + $1] - profile[axis - $1]) } / Double(half)
        }
        let turns = (-Self.largestTurn...Self.largestTurn).map { ($0, asymmetry(about: $0)) }
        let (axis, least) = turns.min { $0.1 < $1.1 }!
        self.axis = axis
        self.asymmetry = least
        func radii(_ steps: ClosedRange<Int>) -> [Double] { steps.map { profile[axis + $0] } }
        // Within 15° of up, from 22° to 75° beside it, and straight across.
        notch = radii(-2...2).min()!
        tip = radii(half - 2...half + 2).max()!
        lobes = (radii(-10 ... -3).max()!, radii(3...10).max()!)
        func height(_ steps: ClosedRange<Int>) -> Double {
            steps.map { profile[axis + $0] * cos(Double($0) * Self.step) }.max()!
        }
        shoulder = min(height(-10 ... -3), height(3...10))
        side = (radii(10...14) + radii(-14 ... -10)).reduce(0, +) / 10
    }

    /// Whether it can be the hollow of a heart. The limits leave room around the hollows of hearts in
    /// photos: notches of 0.3 to 0.75, lobes of twice that. Of a box neither the notch is lower than its corners
    /// nor the tip farther out.
    var isHeart: Bool {
        asymmetry < 0.2 && min(lobes.left, lobes.right) > 1.4 * notch && side > 1.05
            && min(lobes.left, lobes.right) > 0.8 * max(lobes.left, lobes.right)
            && notch < 0.93 * shoulder && tip > 1.15 * notch
    }
}
