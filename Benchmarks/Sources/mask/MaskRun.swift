import Pipeline
import Puppet
import Raster
import Vision

/// One background: draws the frames, computes both masks, and compares them with the truth.
struct MaskRun {
    let background: MaskBackground

    private static let size = (width: 1280, height: 720)
    private static let rate = 30.0
    /// The frames that are measured, and those before them in which the masks settle.
    private static let measured = 48, settling = 12
    /// The first frame of the script: the right hand rises, holds, and later both do.
    private static let first = 10
    /// The deviation of the noise in codes.
    private static let noise = 3.0

    private static var script: PuppetScript {
        PuppetScript(
            width: size.width, height: size.height, rate: rate, duration: 4,
            scene: PuppetScene(noise: 0, seed: 3),
            cues: [PuppetCue(time: 0.8, pose: .openPalm, hands: .right, hold: 2)])
    }

    /// - Returns: The scores of the model as such and of the matte, and the time of the matte without the model.
    func measure() throws -> (bare: MaskScore, matte: MaskScore, seconds: Double, frames: Int) {
        let director = try PuppetDirector(script: Self.script)
        let format = director.format
        let geometry = DisplayGeometry(storedWidth: format.width, storedHeight: format.height)
        let resources = Resources.located()
        let lease = try ModelLease(installed: "selfie_segmentation_landscape.tflite", in: resources)
        let segmenter = try PersonSegmenter(model: lease.model, kind: .landscape)
        let people = PeopleFinder(resources: resources)
        people.isPrecise = true
        let matte = PictureMatte(format)
        let paint = background.painter(width: format.width, height: format.height)
        var random = MaskRandom(seed: 1)
        let count = segmenter.width * segmenter.height
        var guide = [Float](repeating: 0, count: count), confidence = guide
        var bare = MaskMeter(format), refined = MaskMeter(format)
        var seconds = 0.0
        let clock = ContinuousClock()
        for index in 0..<Self.settling + Self.measured {
            let frame = Self.first + index, time = Double(index) / Self.rate
            let truth = Self.truth(of: director, frame)
            let buffer = PlaneBuffer(format: format)
            try buffer.withPicture { picture in
                paint(frame, &picture)
                director.drawPerson(frame: frame, over: &picture)
                picture.addNoise(Self.noise, &random)
                try picture.withPicture { picture in
                    segmenter.read(picture, geometry: geometry, guide: &guide)
                    try segmenter.segment(confidence: &confidence)
                    _ = people.mask(of: picture, geometry: geometry, at: time)
                    guard let mask = people.people else { return }
                    seconds +=
                        clock.measure {
                            matte.adopt(
                                mask.confidenceOfPeople, width: mask.width, height: mask.height,
                                strength: mask.presence,
                                geometry: geometry)
                            matte.follow(picture, at: time)
                        }.seconds
                }
            }
            let isMeasured = index >= Self.settling
            bare.add(
                MaskMeter.enlarged(confidence, segmenter.width, segmenter.height, format), truth: truth,
                counts: isMeasured)
            refined.add(matte.samples.map { Float($0) / 255 }, truth: truth, counts: isMeasured)
        }
        return (bare.score, refined.score, seconds, Self.settling + Self.measured)
    }

    /// Returns the person's opacity, from drawings over black and over white.
    private static func truth(of director: PuppetDirector, _ frame: Int) -> [Float] {
        func luma(over code: UInt8) -> [UInt8] {
            let buffer = PlaneBuffer(format: director.format)
            buffer.withPicture { picture in
                picture.with8BitPlane(.luma) { samples, _ in for index in 0..<samples.count { samples[index] = code } }
                director.drawPerson(frame: frame, over: &picture)
            }
            return buffer.planes()[0]
        }
        return zip(luma(over: 16), luma(over: 235)).map { black, white in
            max(0, min(1, 1 - (Float(white) - Float(black)) / 219))
        }
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension MutablePicture {
    /// Adds noise of a deviation, half as much to the colours.
    fileprivate mutating func addNoise(_ deviation: Double, _ random: inout MaskRandom) {
        for plane in Plane.allCases {
            let amount = plane == .luma ? deviation : deviation / 2
            with8BitPlane(plane) { samples, _ in
                for index in 0..<samples.count {
                    // The sum of four uniform numbers is nearly normal; its deviation is 1 / √3.
                    let sum = random.next() + random.next() + random.next() + random.next() - 2
                    let value = Double(samples[index]) + sum * 1.732 * amount
                    samples[index] = UInt8(max(0, min(255, value + 0.5)))
                }
            }
        }
    }
}
