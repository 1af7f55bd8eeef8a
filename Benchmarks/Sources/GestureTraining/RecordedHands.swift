import FoundationEssentials
package import Vision

/// The hands detected at one time of a file, stored between detection and training: detection takes ten times as
/// long.
package struct RecordedDetection: Codable, Sendable {
    package struct Hand: Codable, Sendable {
        /// x, y and z of the 21 points.
        var points: [Float]
        /// The embedding in 16 bits a number.
        var embedding: Data

        package init(_ hand: HandLandmarks) {
            points = hand.points.flatMap { [Float($0.x), Float($0.y), Float($0.z)] }
            var bytes: [UInt8] = []
            for value in hand.embedding {
                let bits = Self.code(value)
                bytes += [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
            }
            embedding = Data(bytes)
        }

        /// The embedding's numbers are between 0 and 6 (its last activation is a ReLU6): a fixed point is sufficient.
        private static func code(_ value: Float) -> UInt16 { UInt16(max(0, min(65_535, (value * 8192).rounded()))) }

        package var numbers: [Float] {
            let bytes = Array(embedding)
            return stride(from: 0, to: bytes.count, by: 2).map {
                Float(UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8) / 8192
            }
        }

        package func landmarks(aspectRatio: Double) -> HandLandmarks {
            let marks = stride(from: 0, to: points.count, by: 3).map { first in
                Landmark(x: Double(points[first]), y: Double(points[first + 1]), z: Double(points[first + 2]))
            }
            return HandLandmarks(
                points: marks, handedness: .left, handednessConfidence: 0.5, presence: 1, trackID: 0,
                pictureAspectRatio: aspectRatio)
        }
    }

    package var time: Double
    package var aspectRatio: Double
    package var hands: [Hand]

    package init(time: Double, aspectRatio: Double, hands: [HandLandmarks]) {
        self.time = time
        self.aspectRatio = aspectRatio
        self.hands = hands.map(Hand.init)
    }
}
