import Foundation
import MediaIO
import Raster
import TestSupport
import Testing
@testable import Vision

/// The installed models' results on real footage; skipped without it.
@Suite(.enabled(if: SharedMedia.file("videos/negative/liveportrait_s18.mp4") != nil))
struct RealPeopleTests {
    /// Calls `body` for the first frames of a video, by default of a woman in the middle of the picture.
    private func forEachFrame(
        _ count: Int, of video: String = "videos/negative/liveportrait_s18.mp4",
        _ body: (borrowing VideoFrame) throws -> Void
    ) throws {
        let file = try #require(SharedMedia.file(video))
        let demuxer = try Demuxer(path: file.path)
        let decoder = try VideoDecoder(demuxer)
        var left = count
        while left > 0, let packet = try demuxer.readPacket() {
            guard packet.streamIndex == demuxer.video.index else { continue }
            try decoder.send(packet)
            while left > 0, let frame = try decoder.receive() {
                try body(frame)
                left -= 1
            }
        }
    }

    @Test(arguments: PersonSegmenter.Kind.allCases)
    func onlyThePersonIsSegmented(kind: PersonSegmenter.Kind) throws {
        let mask = PersonMask(segmenter: try InstalledModels.segmenter(kind))
        let (width, height) = (256, kind == .landscape ? 144 : 256)
        var soft: [Int] = []
        try forEachFrame(12) { frame in
            let time = frame.time.seconds
            let geometry = frame.geometry
            let found = try #require(
                try frame.withPicture { try mask.mask(of: $0, geometry: geometry, at: time) })
            func value(_ x: Double, _ y: Double) -> UInt8 {
                found.value(x: Int(x * Double(width)), y: Int(y * Double(height)))
            }
            #expect(value(0.55, 0.3) == 255 && value(0.55, 0.9) == 255)
            #expect(value(0.1, 0.3) == 0 && value(0.95, 0.2) == 0)
            var count = 0
            for y in 0..<height { for x in 0..<width where ![0, 255].contains(found.value(x: x, y: y)) { count += 1 } }
            soft.append(count)
        }
        // The edge is soft but narrow.
        #expect(soft.allSatisfy { $0 > 100 && $0 < width * height / 8 })
    }

    @Test("A second inference gives nearly the same mask", arguments: PersonSegmenter.Kind.allCases)
    func secondInference(kind: PersonSegmenter.Kind) throws {
        let segmenter = try InstalledModels.segmenter(kind)
        var guide = [Float](repeating: 0, count: segmenter.width * segmenter.height)
        var first = guide, second = guide, third = guide
        try forEachFrame(1) { frame in
            let geometry = frame.geometry
            for turn in 0..<2 {
                frame.withPicture { segmenter.read($0, geometry: geometry, guide: &guide) }
                if turn == 0 {
                    try segmenter.segment(confidence: &first)
                    segmenter.turn()
                    try segmenter.segmentAgain(confidence: &second)
                } else {
                    try segmenter.segment(confidence: &third)
                }
            }
        }
        #expect(first == third)
        let different = zip(first, second).count { ($0 > 0.5) != ($1 > 0.5) }
        #expect(different > 0 && different < first.count / 50)
    }

    @Test func theFaceIsFoundOnce() throws {
        let detector = try FaceDetector(model: InstalledModels.model("face_detection_short_range"))
        try forEachFrame(1) { frame in
            let geometry = frame.geometry
            let faces = try frame.withPicture { try detector.faces(in: $0, geometry: geometry) }
            #expect(faces.count == 1)
            let face = try #require(faces.first)
            #expect(face.left > 0.4 && face.right < 0.75 && face.top > 0.1 && face.bottom < 0.7, "\(face)")
            #expect(face.right - face.left > 0.08)
        }
    }

    /// The man stands in a courtyard, and the picture is higher than wide.
    @Test func smallFacesAreFoundInWindows() throws {
        let detector = try FaceDetector(model: InstalledModels.model("face_detection_short_range"))
        try forEachFrame(31, of: "videos/negative/f2_Onderito__public-testimonials-2.mp4") { frame in
            // The face is visible after a second.
            guard frame.time.seconds > 0.99 else { return }
            let geometry = frame.geometry
            let near = try frame.withPicture { try detector.faces(in: $0, geometry: geometry) }
            let faces = try frame.withPicture { try detector.smallFaces(in: $0, geometry: geometry) }
            #expect(near.isEmpty)
            let face = try #require(faces.first)
            #expect(face.left > 0.3 && face.right < 0.6 && face.top > 0.3 && face.bottom < 0.5, "\(face)")
        }
    }
}
