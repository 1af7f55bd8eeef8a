import Foundation
@testable import Vision

/// A hand of drawn bones, posed joint by joint: landmarks with a known ground truth.
///
/// The proportions are those of an average adult hand, in palm lengths (wrist to middle knuckle), palm to the camera,
/// fingers up, thumb on the left.
struct SyntheticHand {
    /// 0 straight … 1 folded into the palm: index, middle, ring, little finger.
    var curl: [Double] = [0, 0, 0, 0]
    /// Degrees away from the middle finger, toward the thumb.
    var splay: [Double] = [8, 0, -7, -16]
    var thumb: Thumb = .across
    /// Turned clockwise in the picture, in degrees.
    var turn = 0.0
    /// Turned about the vertical axis of the picture, in degrees: 180 shows the back.
    var yaw = 0.0
    /// Tilted toward the camera, in degrees.
    var pitch = 0.0
    /// True if it is the other hand.
    var isMirrored = false
    /// The palm's middle, in the picture's 0…1.
    var place = (x: 0.5, y: 0.5)
    /// The palm's length as a fraction of the picture's height.
    var size = 0.12
    var aspect = 16.0 / 9
    var handednessConfidence = 0.95

    enum Thumb { case out, across, raised }

    /// The bend of the joints of a folded finger, in radians.
    private static let fold = [1.45, 1.75, 1.1]
    private static let fingers: [(knuckle: SIMD3<Double>, bones: [Double])] = [
        (SIMD3(-0.26, 0.95, 0), [0.46, 0.28, 0.22]),
        (SIMD3(-0.02, 1.00, 0), [0.52, 0.32, 0.24]),
        (SIMD3(0.20, 0.94, 0), [0.48, 0.30, 0.23]),
        (SIMD3(0.40, 0.80, 0), [0.36, 0.22, 0.20]),
    ]

    /// The 21 joints; y up, z toward the camera.
    private var joints: [SIMD3<Double>] {
        var points: [SIMD3<Double>] = [.zero] + thumbJoints
        for (index, finger) in Self.fingers.enumerated() {
            let lean = -splay[index] * .pi / 180
            let straight = SIMD3(sin(lean), cos(lean), 0)
            var bend = 0.0
            var point = finger.knuckle
            points.append(point)
            for (bone, fold) in zip(finger.bones, Self.fold) {
                bend += fold * curl[index]
                point += bone * (cos(bend) * straight + sin(bend) * SIMD3(0, 0, 1))
                points.append(point)
            }
        }
        return points
    }

    private var thumbJoints: [SIMD3<Double>] {
        let base = SIMD3(-0.15, 0.15, 0.05)
        switch thumb {
        case .out:
            return [base, SIMD3(-0.42, 0.42, 0.12), SIMD3(-0.72, 0.66, 0.14), SIMD3(-0.95, 0.84, 0.12)]
        case .across:
            return [base, SIMD3(-0.36, 0.42, 0.25), SIMD3(-0.20, 0.66, 0.40), SIMD3(0.06, 0.76, 0.44)]
        case .raised:
            return [base, SIMD3(-0.42, 0.42, 0.10), SIMD3(-0.78, 0.50, 0.10), SIMD3(-1.10, 0.52, 0.06)]
        }
    }

    /// The hand as a landmark model would report it.
    var landmarks: HandLandmarks {
        let centre = SIMD3(0.0, 0.5, 0)
        let points = joints.map { joint -> Landmark in
            var p = joint - centre
            if isMirrored { p.x = -p.x }
            p = rotated(p, pitch, 1, 2)
            p = rotated(p, yaw, 2, 0)
            p = rotated(p, isMirrored ? turn : -turn, 0, 1)
            return Landmark(
                x: place.x + p.x * size / aspect, y: place.y - p.y * size,
                z: -p.z * size / aspect)
        }
        return HandLandmarks(
            points: points, handedness: isMirrored ? .right : .left,
            handednessConfidence: handednessConfidence, presence: 0.99, trackID: 0,
            pictureAspectRatio: aspect)
    }

    private func rotated(
        _ p: SIMD3<Double>, _ degrees: Double, _ a: Int, _ b: Int
    ) -> SIMD3<Double> {
        let angle = degrees * .pi / 180
        var q = p
        q[a] = p[a] * cos(angle) - p[b] * sin(angle)
        q[b] = p[a] * sin(angle) + p[b] * cos(angle)
        return q
    }
}

// MARK: - Poses

extension SyntheticHand {
    static let fist = SyntheticHand(curl: [1, 1, 1, 1])
    static let openHand = SyntheticHand(thumb: .out)
    static let stop = SyntheticHand(splay: [1, 0, -1, -2])
    static let victory = SyntheticHand(curl: [0, 0, 1, 1], splay: [12, -10, -7, -16])
    static let twoTogether = SyntheticHand(curl: [0, 0, 1, 1], splay: [-6, 4, -7, -16])
    static let threeWithThumb = SyntheticHand(
        curl: [0, 0, 1, 1], splay: [12, -10, -7, -16], thumb: .out)
    static let horns = SyntheticHand(curl: [0, 1, 1, 0])
    static let iLoveYou = SyntheticHand(curl: [0, 1, 1, 0], thumb: .out)
    static let call = SyntheticHand(curl: [1, 1, 1, 0], thumb: .out)
    static let one = SyntheticHand(curl: [0, 1, 1, 1])
    static let middleFinger = SyntheticHand(curl: [1, 0, 1, 1])
    static let three = SyntheticHand(curl: [0, 0, 0, 1])
    static let four = SyntheticHand(curl: [0, 0, 0, 0])
    static let ok = SyntheticHand(curl: [0.55, 0, 0, 0], thumb: .out)
    static let relaxed = SyntheticHand(curl: [0.45, 0.5, 0.5, 0.5], thumb: .out)
    static let thumbsUp = SyntheticHand(curl: [1, 1, 1, 1], thumb: .raised, turn: 90)
    static let thumbsDown = SyntheticHand(curl: [1, 1, 1, 1], thumb: .raised, turn: -90)
    /// A hand that makes a gesture.
    static func making(_ gesture: HandGesture) -> SyntheticHand {
        switch gesture {
        case .thumbsUp: .thumbsUp
        case .thumbsDown: .thumbsDown
        case .victory: .victory
        case .horns: .horns
        }
    }

    static let thumbSideways = SyntheticHand(curl: [1, 1, 1, 1], thumb: .raised)

    func with(_ change: (inout SyntheticHand) -> Void) -> SyntheticHand {
        var copy = self
        change(&copy)
        return copy
    }

    /// The other hand, mirrored across the picture's middle.
    var mirrored: SyntheticHand {
        with {
            $0.isMirrored.toggle()
            $0.place.x = 1 - $0.place.x
            $0.yaw = -$0.yaw
        }
    }
}
