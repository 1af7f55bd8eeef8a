import Foundation
import MediaIO
import Raster
import TestSupport
import Testing
@testable import Vision

/// The share of furniture that is segmented as people in real footage, and the share of the people that is kept;
/// skipped without the footage.
@Suite(.enabled(if: SharedMedia.file(Scene.all[0].file) != nil))
struct FurnitureTests {
    /// Rejects second inferences.
    private final class Once: PersonSegmenting {
        let segmenter: PersonSegmenter
        private var last: [Float] = []

        init(_ segmenter: PersonSegmenter) { self.segmenter = segmenter }

        var width: Int { segmenter.width }
        var height: Int { segmenter.height }

        func read(_ picture: borrowing Picture, geometry: DisplayGeometry, guide: inout [Float]) {
            segmenter.read(picture, geometry: geometry, guide: &guide)
        }

        func segment(confidence: inout [Float]) throws(InferenceError) {
            try segmenter.segment(confidence: &confidence)
            last = confidence
        }

        func turn() {}
        func segmentAgain(confidence: inout [Float]) throws(InferenceError) { confidence = last }
    }

    /// The models that contribute to the mask.
    private enum Opinions: CaseIterable {
        case model, secondInference, bodies

        func mask(aspectRatio: Double) throws -> (size: (Int, Int), mask: PersonMask) {
            let segmenter = try InstalledModels.segmenter(.init(aspectRatio: aspectRatio))
            let size = (segmenter.width, segmenter.height)
            return switch self {
            case .model: (size, PersonMask(segmenter: Once(segmenter)))
            case .secondInference: (size, PersonMask(segmenter: segmenter))
            case .bodies: (size, PersonMask(segmenter: segmenter, examiner: try InstalledModels.inquiry(segmenter)))
            }
        }
    }

    /// The mean masks, 0…1, of rectangles between half a second and three after a scene's start, by the opinions.
    private func means(_ scene: Scene) throws -> [(furniture: Double, people: Double)] {
        let file = try #require(SharedMedia.file(scene.file))
        let demuxer = try Demuxer(path: file.path)
        let decoder = try VideoDecoder(demuxer)
        var masks: [(size: (Int, Int), mask: PersonMask)] = []
        var seen = Array(repeating: (furniture: [Double](), people: [Double]()), count: Opinions.allCases.count)
        var isOver = false
        while !isOver, let packet = try demuxer.readPacket() {
            guard packet.streamIndex == demuxer.video.index else { continue }
            try decoder.send(packet)
            while !isOver, let frame = try decoder.receive() {
                let time = frame.time.seconds - scene.start
                let geometry = frame.geometry
                guard time >= 0 else { continue }
                isOver = time > 3
                if masks.isEmpty {
                    masks = try Opinions.allCases.map { try $0.mask(aspectRatio: geometry.aspectRatio) }
                }
                for (index, (size, finder)) in masks.enumerated() {
                    let found = try frame.withPicture { try finder.mask(of: $0, geometry: geometry, at: time) }
                    guard time > 0.5 else { continue }
                    seen[index].furniture += scene.furniture.map { found?.mean(in: $0, size) ?? 0 }
                    seen[index].people += scene.people.map { found?.mean(in: $0, size) ?? 0 }
                }
            }
        }
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(values.count, 1)) }
        return seen.map { (mean($0.furniture), mean($0.people)) }
    }

    @Test("Second inferences and bodies remove furniture from the mask and keep people")
    func furniture() throws {
        var sums = Array(repeating: (furniture: 0.0, people: 0.0), count: Opinions.allCases.count)
        for scene in Scene.all {
            let found = try means(scene)
            for (index, mean) in found.enumerated() {
                sums[index] = (sums[index].furniture + mean.furniture, sums[index].people + mean.people)
            }
            #expect(found[1].people > found[0].people - 0.02, "\(scene.about): \(found)")
            #expect(found[2].people > found[0].people - 0.04, "\(scene.about): \(found)")
            #expect(found[1].furniture < found[0].furniture + 0.01, "\(scene.about): \(found)")
            #expect(found[2].furniture < found[1].furniture + 0.02, "\(scene.about): \(found)")
            if ProcessInfo.processInfo.environment["FLOURISH_TELL"] != nil { print("furniture", scene.about, found) }
        }
        #expect(sums[1].furniture < 0.92 * sums[0].furniture)
        #expect(sums[2].furniture < 0.75 * sums[0].furniture)
        #expect(sums[1].people > 0.995 * sums[0].people)
        #expect(sums[2].people > 0.99 * sums[0].people)
    }
}

extension BandMask {
    /// The mean in a rectangle (left, top, right, bottom, in fractions), 0…1.
    fileprivate func mean(in area: (Double, Double, Double, Double), _ size: (Int, Int)) -> Double {
        let xs = Int(area.0 * Double(size.0))..<Int((area.2 * Double(size.0)).rounded(.up))
        let ys = Int(area.1 * Double(size.1))..<Int((area.3 * Double(size.1)).rounded(.up))
        var sum = 0
        for y in ys { for x in xs { sum += Int(value(x: x, y: y)) } }
        return Double(sum) / Double(255 * xs.count * ys.count)
    }
}

/// Footage in which rectangles were drawn by hand: of furniture and other objects, and of people.
private struct Scene {
    let about, file: String
    /// Seconds from the video's first frame.
    let start: Double
    /// Left, top, right, bottom, in fractions of the upright picture.
    let furniture, people: [(Double, Double, Double, Double)]

    init(
        _ about: String, _ file: String, from start: Double, furniture: [(Double, Double, Double, Double)],
        people: [(Double, Double, Double, Double)]
    ) {
        self.about = about
        self.file = "videos/" + file
        self.start = start
        self.furniture = furniture
        self.people = people
    }

    static let all = [
        Scene(
            "an armchair", "negative/f2_vomanagementconsul__jl-interview.mp4", from: 10,
            furniture: [(0, 0.71, 0.1, 0.95), (0.87, 0.78, 0.97, 0.95)],
            people: [(0.33, 0.26, 0.5, 0.38), (0.35, 0.5, 0.65, 0.7), (0.3, 0.85, 0.75, 0.98)]),
        Scene(
            "an armchair, arms on it", "negative/f2_vomanagementconsul__loft-interview.mp4", from: 6,
            furniture: [(0.85, 0.72, 0.97, 0.95), (0.03, 0.75, 0.18, 0.95)],
            people: [(0.42, 0.17, 0.58, 0.3), (0.35, 0.4, 0.65, 0.6), (0.3, 0.8, 0.75, 0.97)]),
        Scene(
            "an armchair, dark clothes", "negative/f2_vomanagementconsul__khalila-interview.mp4", from: 0.5,
            furniture: [(0.87, 0.65, 0.97, 0.85), (0.1, 0.65, 0.22, 0.8)],
            people: [(0.42, 0.2, 0.55, 0.35), (0.15, 0.45, 0.3, 0.6), (0.45, 0.62, 0.65, 0.7), (0.4, 0.75, 0.75, 0.85)]),
        Scene(
            "a pouf", "negative/f2_vomanagementconsul__dr-allison-reel-2b.mp4", from: 7,
            furniture: [(0.65, 0.75, 0.9, 0.92), (0.8, 0.65, 0.95, 0.75)],
            people: [(0.42, 0.2, 0.58, 0.35), (0.3, 0.4, 0.75, 0.6), (0.15, 0.75, 0.45, 0.9)]),
        Scene(
            "a table with papers", "negative/f2_vomanagementconsul__dr-allison-interview.mp4", from: 6,
            furniture: [(0.05, 0.92, 0.95, 0.99), (0.02, 0.84, 0.25, 0.9), (0.62, 0.85, 0.75, 0.95)],
            people: [(0.4, 0.28, 0.6, 0.42), (0.7, 0.5, 0.9, 0.7), (0.15, 0.5, 0.3, 0.7), (0.35, 0.78, 0.6, 0.84)]),
        Scene(
            "a table and a book, a camera in the hand", "negative/f2_blionestech__public-videos-review-6.mp4", from: 3,
            furniture: [(0.1, 0.65, 0.5, 0.85), (0.3, 0.8, 0.9, 0.95)],
            people: [(0.55, 0.07, 0.8, 0.2), (0.4, 0.35, 0.9, 0.5)]),
        Scene(
            "a headrest in a car", "negative/f2_sahilfaizal01__drows.mp4", from: 3,
            furniture: [(0.61, 0.33, 0.66, 0.5), (0.67, 0.15, 0.7, 0.28)],
            people: [(0.74, 0.25, 0.84, 0.45), (0.65, 0.65, 0.9, 0.9)]),
        Scene(
            "a tablet before the chest", "positive/f2_LewisCho7__webcam.avi", from: 2,
            furniture: [(0.47, 0.7, 0.85, 0.88)],
            people: [(0.52, 0.35, 0.65, 0.6), (0.3, 0.72, 0.42, 0.95), (0.7, 0.55, 0.8, 0.62)]),
        Scene(
            "cushions of a sofa", "negative/f2_enriccorona__vlogger-videos-video_21.mp4", from: 1.5,
            furniture: [(0, 0.6, 0.08, 0.95), (0.78, 0.9, 0.95, 0.99)],
            people: [(0.42, 0.25, 0.58, 0.42), (0.35, 0.6, 0.65, 0.9), (0.12, 0.65, 0.18, 0.85)]),
        Scene(
            "a window beside the head", "negative/carphone_pristine.mp4", from: 0.5,
            furniture: [(0.62, 0.36, 0.66, 0.58)],
            people: [(0.35, 0.3, 0.55, 0.65), (0.3, 0.8, 0.9, 0.95)]),
        Scene(
            "a bottle", "negative/liveportrait_d14.mp4", from: 4,
            furniture: [(0.93, 0.58, 1, 0.85)],
            people: [(0.25, 0.4, 0.65, 0.85), (0.4, 0.08, 0.7, 0.15)]),
        Scene(
            "glasses on a table, in the dark", "negative/f2_blionestech__public-videos-review-5.mp4", from: 3,
            furniture: [(0.68, 0.6, 0.85, 0.69)],
            people: [(0.38, 0.28, 0.52, 0.38), (0.3, 0.42, 0.7, 0.5)]),
        Scene(
            "a chair between two people", "negative/f2_Onderito__public-testimonials-diego.mp4", from: 3,
            furniture: [(0.45, 0.72, 0.6, 0.8)],
            people: [(0.66, 0.38, 0.78, 0.46), (0.68, 0.48, 0.85, 0.58), (0.2, 0.46, 0.38, 0.55)]),
        Scene(
            "nothing; a dark room", "negative/f2_DeepaNikade__interview.mp4", from: 4,
            furniture: [],
            people: [(0.43, 0.45, 0.6, 0.65), (0.33, 0.78, 0.75, 0.86)]),
        Scene(
            "nothing; a camera in the hand", "negative/f2_blionestech__public-videos-review-1.mp4", from: 3,
            furniture: [],
            people: [(0.4, 0.17, 0.55, 0.35), (0.25, 0.5, 0.75, 0.9)]),
        Scene(
            "nothing; no head in the picture", "negative/f2_facebookresearch__demo-data-gallery-02_cups.mp4", from: 3,
            furniture: [],
            people: [(0.35, 0.1, 0.7, 0.5), (0.25, 0.2, 0.32, 0.4)]),
    ]
}
