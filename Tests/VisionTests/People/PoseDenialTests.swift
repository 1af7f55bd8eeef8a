import Raster
import Testing

@testable import Vision

/// A body with shoulders 40 pixels apart stands in the middle of a picture of 256 × 256.
@Suite struct PoseDenialTests {
    private static let side = 64
    private let picture = (width: 256.0, height: 256.0)

    /// The head above, the arms at the sides, the legs below.
    private static let points: [Int: (x: Double, y: Double)] = [
        0: (128, 60), 7: (136, 58), 8: (120, 58), 11: (148, 100), 12: (108, 100), 13: (150, 140), 14: (106, 140),
        15: (150, 170), 16: (106, 170), 19: (150, 180), 20: (106, 180), 23: (140, 190), 24: (116, 190),
        25: (140, 225), 26: (116, 225), 27: (140, 255), 28: (116, 255),
    ]
    /// The area of that body.
    private static let body = Area(left: 96, top: 40, right: 160, bottom: 256)

    private struct Area {
        var left, top, right, bottom: Double

        func holds(_ x: Double, _ y: Double) -> Bool { x >= left && x < right && y >= top && y < bottom }
    }

    private static func pose(shows areas: [Area] = [body]) -> Pose {
        Pose(
            points: (0..<33).map { points[$0] ?? (x: 128, y: 60) }, toTensor: .identity,
            samples: (0..<256 * 256).map { index in
                areas.contains { $0.holds(Double(index % 256), Double(index / 256)) } ? 1 : 0
            })
    }

    /// The denied confidence at a place, for a mask with some areas.
    private func denied(
        _ mask: [Area], poses: [Pose] = [pose()], faces: [(x: Double, y: Double)] = [(128, 60)],
        at places: [(x: Double, y: Double)]
    ) -> [Float] {
        let side = Self.side, scale = 256 / Double(side)
        var denial = PoseDenial(width: side, height: side)
        let confidence = (0..<side * side).map { index -> Float in
            let x = (Double(index % side) + 0.5) * scale, y = (Double(index / side) + 0.5) * scale
            return mask.contains { $0.holds(x, y) } ? 1 : 0
        }
        let result = denial.denied(of: confidence, poses: poses, faces: faces, size: picture)
        return places.map { result[Int($0.y / scale) * side + Int($0.x / scale)] }
    }

    private let chair = Area(left: 160, top: 200, right: 180, bottom: 256)

    @Test("A chair beside a body is denied, the body is not")
    func chairBesideABody() {
        #expect(denied([Self.body, chair], at: [(172, 230), (128, 120), (100, 250)]) == [-1, 0, 0])
    }

    @Test("Where no body is found nothing is denied")
    func withoutABody() {
        #expect(denied([Self.body, chair], poses: [], at: [(172, 230), (128, 120)]) == [0, 0])
    }

    @Test("Sleeves and hair near the bones are kept")
    func nearBones() {
        let thin = Self.pose(shows: [Area(left: 112, top: 50, right: 144, bottom: 256)])
        #expect(denied([Self.body], poses: [thin], at: [(156, 140), (110, 56)]) == [0, 0])
    }

    @Test("Nothing is denied for a face without a body")
    func anotherFace() {
        #expect(denied([Self.body, chair], faces: [(128, 60), (172, 210)], at: [(172, 230)]) == [0])
        #expect(denied([Self.body, chair], faces: [], at: [(172, 230)]) == [-1])
    }

    @Test("A piece as large as another person stays")
    func largePiece() {
        let listener = Area(left: 160, top: 170, right: 192, bottom: 256)
        #expect(denied([Self.body, listener], at: [(180, 230)]) == [0])
    }

    @Test("A part of the mask that no body explains stays as it is")
    func unexplainedPart() {
        let apart = Area(left: 220, top: 100, right: 236, bottom: 140)
        #expect(denied([Self.body, chair, apart], at: [(228, 120), (172, 230)]) == [0, -1])
    }

    @Test("Nothing is denied outside of the model's input")
    func unseen() {
        let pose = Pose(
            points: Self.pose().points, toTensor: .translation(x: 90, y: 0),
            samples: [Float](repeating: 1, count: 256 * 256))
        #expect(denied([Self.body, chair], poses: [pose], at: [(172, 230)]) == [0])
    }

    @Test("Parts of a mask are connected side by side")
    func parts() {
        var parts = MaskParts(width: 4, height: 3)
        let values: [Float] = [
            1, 0, 0, 1,
            1, 0, 1, 0,
            0, 0, 1, 1,
        ]
        #expect(parts.find(in: values, above: 0.5).map { $0.sorted() } == [[0, 4], [3], [6, 10, 11]])
        #expect(parts.find(in: values, above: 1).isEmpty)
    }

    @Test("A body's region reaches from above its face to below its feet")
    func region() {
        let map = PoseRegion(faceX: 100, faceY: 80, faceWidth: 20).tensorToUpright(size: 256)
        let middle = map.apply(x: 128, y: 128), top = map.apply(x: 128, y: 0), right = map.apply(x: 256, y: 128)
        #expect(abs(middle.x - 100) < 1e-9 && abs(middle.y - 152) < 1e-9)
        #expect(abs(top.y - (152 - 117.5)) < 1e-9 && abs(right.x - 217.5) < 1e-9)
    }
}
