import Foundation
import MediaIO
import Pipeline
import Raster
import Vision

/// Compares masks of real footage with a slow and careful estimate.
///
/// The estimate of a frame is the mean of many inferences of the segmentation model: on the whole picture and on four crops
/// of 85 %, each also mirrored and brightened, and in the frames up to 0.1 s before and after it where the picture is the
/// same. It is an estimate by the same model, so it shows how a mask differs from the model's own mean
/// opinion, and not whether that is right.
struct MaskFootage {
    /// A clip's path below the folder of footage.
    let path: String
    let folder: URL

    /// Clips of different sources: rooms, cars, backlight, noise, hair, hands, and more than one person.
    static let clips = [
        "negative/liveportrait_s18.mp4", "negative/liveportrait_d13.mp4", "negative/f2_sahilfaizal01__drows.mp4",
        "negative/f2_facebookresearch__demo-data-gallery-02_cups.mp4", "negative/jester_102653.mp4",
        "negative/jester_120331.mp4", "negative/pyfeat_woman_hand_on_face.mp4", "negative/videoretalking_1.mp4",
        "negative/carphone_pristine.mp4", "negative/f3_bilalgul99__uploads-1711207004201.mp4",
        "hard/f2_GarrettHartley__hello.mp4", "hard/signschool_two_people.mp4", "positive/thumb_up_720p.mp4",
    ]

    private static let count = 24
    /// The frames before the measured ones, in which masks settle.
    private static let settling = 12
    /// The confidences below and above which the estimate is sure.
    private static let sure: (room: Float, person: Float) = (0.2, 0.8)
    /// The frames before and after a frame whose inferences count.
    private static let reach = 3
    /// The change of luma at which an inference of another frame counts less by a factor of e.
    private static let rest: Float = 0.03

    /// The masks of one frame at the model's size, and its luma.
    private struct Sample {
        var luma, single, careful, matte: [Float]
    }

    /// The measures of a mask: lower is better.
    struct Score {
        /// The share of the places of which the estimate is sure, and which the mask gives to the other side, in thousandths.
        var wrong = 0.0
        /// The mean change between frames within three places of the estimate's edges where the picture rests, in
        /// thousandths.
        var flicker = 0.0
    }

    /// - Returns: The scores of the model as such and of the matte; `nil` if the clip is missing or too short.
    func measure() throws -> (bare: Score, matte: Score)? {
        let file = folder.appending(path: path)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let resources = Resources.located()
        let demuxer = try Demuxer(path: file.path)
        let decoder = try VideoDecoder(demuxer)
        let kind = PersonSegmenter.Kind(aspectRatio: demuxer.video.geometry.aspectRatio)
        let name = kind == .landscape ? "selfie_segmentation_landscape.tflite" : "selfie_segmentation.tflite"
        let lease = try ModelLease(installed: name, in: resources)
        let segmenter = try PersonSegmenter(model: lease.model, kind: kind)
        let people = PeopleFinder(resources: resources)
        people.isPrecise = true
        var matte: PictureMatte?
        var samples: [Sample] = []
        while samples.count < Self.count + Self.settling, let packet = try demuxer.readPacket() {
            guard packet.streamIndex == demuxer.video.index else { continue }
            try decoder.send(packet)
            while samples.count < Self.count + Self.settling, let frame = try decoder.receive() {
                let current = matte ?? PictureMatte(frame.pictureFormat)
                matte = current
                samples.append(try sample(frame, segmenter, people, current))
            }
        }
        guard samples.count == Self.count + Self.settling else { return nil }
        let careful = samples.indices.map { Self.average(samples, at: $0) }
        let range = Self.settling..<samples.count
        let (width, height) = (segmenter.width, segmenter.height)
        func score(_ mask: KeyPath<Sample, [Float]>) -> Score {
            Self.score(samples.map { $0[keyPath: mask] }, samples.map(\.luma), careful, in: range, width, height)
        }
        return (score(\.single), score(\.matte))
    }

    private func sample(
        _ frame: borrowing VideoFrame, _ segmenter: PersonSegmenter, _ people: PeopleFinder, _ matte: PictureMatte
    ) throws -> Sample {
        let (width, height) = (segmenter.width, segmenter.height)
        let geometry = frame.geometry, time = frame.time.seconds
        let blank = [Float](repeating: 0, count: width * height)
        var luma = blank, single = blank, sum = blank, weight = blank
        for (index, region) in Self.regions(of: frame).enumerated() {
            let part = try frame.region(region), geometry = part.geometry
            var guide = blank, first = blank, second = blank
            part.withPicture { segmenter.read($0, geometry: geometry, guide: &guide) }
            try segmenter.segment(confidence: &first)
            segmenter.turn()
            try segmenter.segmentAgain(confidence: &second)
            if index == 0 { (luma, single) = (guide, first) }
            for values in [first, second] {
                Self.add(values, of: region, in: frame, width, height, to: &sum, &weight)
            }
        }
        frame.withPicture { picture in
            _ = people.mask(of: picture, geometry: geometry, at: time)
            guard let mask = people.people else { return }
            matte.adopt(
                mask.confidenceOfPeople, width: mask.width, height: mask.height, strength: mask.presence,
                geometry: geometry)
            matte.follow(picture, at: time)
        }
        let careful = zip(sum, weight).map { $0 / max($1, 1) }
        return Sample(
            luma: luma, single: single, careful: careful,
            matte: Self.reduced(matte.samples, frame.width, frame.height, width, height))
    }

    /// The whole picture and its four corners.
    private static func regions(of frame: borrowing VideoFrame) -> [PictureRegion] {
        let (width, height) = (frame.width, frame.height)
        let (across, down) = (width * 85 / 100 / 16 * 16, height * 85 / 100 / 16 * 16)
        let whole = PictureRegion(columns: 0..<width, rows: 0..<height)
        let left = (width - across) / 2 * 2, top = (height - down) / 2 * 2
        return [whole]
            + [(0, 0), (left, 0), (0, top), (left, top)].map {
                PictureRegion(columns: $0..<min($0 + across, width), rows: $1..<min($1 + down, height))
            }
    }

    /// Adds the confidence of a region at the places of the whole picture.
    private static func add(
        _ values: [Float], of region: PictureRegion, in frame: borrowing VideoFrame, _ width: Int, _ height: Int,
        to sum: inout [Float], _ weight: inout [Float]
    ) {
        for row in 0..<height {
            let y = (Double(row) + 0.5) * Double(frame.height) / Double(height) - Double(region.rows.lowerBound)
            let v = Int(y * Double(height) / Double(region.rows.count))
            guard y >= 0, v < height else { continue }
            for column in 0..<width {
                let x = (Double(column) + 0.5) * Double(frame.width) / Double(width) - Double(region.columns.lowerBound)
                let u = Int(x * Double(width) / Double(region.columns.count))
                guard x >= 0, u < width else { continue }
                sum[row * width + column] += values[v * width + u]
                weight[row * width + column] += 1
            }
        }
    }

    /// Averages a matte over the places of a smaller one.
    private static func reduced(
        _ samples: [UInt8], _ columns: Int, _ rows: Int, _ width: Int, _ height: Int
    ) -> [Float] {
        var result = [Float](repeating: 0, count: width * height)
        for row in 0..<height {
            let lines = row * rows / height..<max((row + 1) * rows / height, row * rows / height + 1)
            for column in 0..<width {
                let first = column * columns / width
                let places = first..<max((column + 1) * columns / width, first + 1)
                var sum = 0
                for line in lines { for place in places { sum += Int(samples[line * columns + place]) } }
                result[row * width + column] = Float(sum) / Float(255 * lines.count * places.count)
            }
        }
        return result
    }

    /// Averages the estimates of the frames around one where they show the same.
    private static func average(_ samples: [Sample], at index: Int) -> [Float] {
        let own = samples[index]
        return own.careful.indices.map { place in
            var sum: Float = 0, weight: Float = 0
            for other in max(0, index - reach)...min(samples.count - 1, index + reach) {
                let change = (samples[other].luma[place] - own.luma[place]) / rest
                let share = Float(exp(-Double(change * change)))
                sum += share * samples[other].careful[place]
                weight += share
            }
            return sum / weight
        }
    }

    private static func score(
        _ masks: [[Float]], _ lumas: [[Float]], _ careful: [[Float]], in range: Range<Int>, _ width: Int, _ height: Int
    ) -> Score {
        var wrong = 0, certain = 0, change = 0.0, changes = 0
        for index in range {
            let (mask, truth) = (masks[index], careful[index])
            for place in mask.indices {
                guard truth[place] < sure.room || truth[place] > sure.person else { continue }
                certain += 1
                if (mask[place] > 0.5) != (truth[place] > 0.5) { wrong += 1 }
            }
            for row in 3..<height - 3 {
                for column in 3..<width - 3 {
                    let place = row * width + column
                    guard abs(lumas[index][place] - lumas[index - 1][place]) < 0.01,
                        isNearEdge(truth, place, width)
                    else { continue }
                    change += Double(abs(mask[place] - masks[index - 1][place]))
                    changes += 1
                }
            }
        }
        return Score(
            wrong: 1000 * Double(wrong) / Double(max(certain, 1)), flicker: 1000 * change / Double(max(changes, 1)))
    }

    /// Returns whether the estimate changes sides within three places.
    private static func isNearEdge(_ truth: [Float], _ place: Int, _ width: Int) -> Bool {
        let side = truth[place] > 0.5
        return [-3, 3, -3 * width, 3 * width].contains { (truth[place + $0] > 0.5) != side }
    }
}
