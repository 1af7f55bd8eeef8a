import Testing

@testable import Raster
@testable import Vision

@Suite final class PersonMaskTests {
    private let segmenter = FakeSegmenter()
    /// The picture from which motion is detected; the segmenter's result is independent of it.
    private var picture = PersonMaskTests.picture(level: 128)
    private let geometry = DisplayGeometry(storedWidth: 64, storedHeight: 32)

    private static func picture(level: Int) -> PlainPicture {
        PlainPicture(PictureFormat(width: 64, height: 32)) { _, _ in level }
    }

    /// The mask of each frame.
    private func masks(
        of mask: PersonMask, frames: Int, rate: Double, from start: Double = 0,
        before: (Int) -> Void = { _ in }
    ) throws -> [BandMask?] {
        try mask.masks(frames: frames, rate: rate, from: start, geometry: geometry) {
            before($0)
            return picture
        }
    }

    @Test("Confident places become exactly room and person", arguments: [24.0, 30, 60])
    func firm(rate: Double) throws {
        segmenter.confidence = { x, _ in x < 16 ? 0.97 : 0.02 }
        let mask = try #require(try masks(of: PersonMask(segmenter: segmenter), frames: 1, rate: rate)[0])
        #expect(mask.value(x: 4, y: 8) == 255)
        #expect(mask.value(x: 27, y: 8) == 0)
    }

    @Test("Inference runs on every frame at low rates, seldom on still pictures, more often on motion")
    func schedule() throws {
        segmenter.confidence = { x, _ in x < 16 ? 1 : 0 }
        for (rate, still, moving) in [
            (60.0, 5...6, 29...31), (30, 5...6, 29...30), (25, 5...6, 24...25), (5, 5...5, 5...5),
        ] {
            let mask = PersonMask(segmenter: segmenter)
            _ = try masks(of: mask, frames: Int(rate), rate: rate)
            #expect(still.contains(mask.inferenceCount), "\(rate) fps: \(mask.inferenceCount)")
            let rushing = PersonMask(segmenter: segmenter)
            _ = try masks(of: rushing, frames: Int(rate), rate: rate) {
                picture = Self.picture(level: 20 + $0 % 8 * 25)
            }
            #expect(moving.contains(rushing.inferenceCount), "\(rate) fps: \(rushing.inferenceCount)")
        }
    }

    @Test("A new picture size resets the mask to that size")
    func anotherSize() throws {
        segmenter.confidence = { x, _ in x < 16 ? 1 : 0 }
        let mask = PersonMask(segmenter: segmenter)
        _ = try masks(of: mask, frames: 10, rate: 30)
        let small = DisplayGeometry(storedWidth: 48, storedHeight: 24)
        let smallPicture = PlainPicture(PictureFormat(width: 48, height: 24)) { _, _ in 128 }
        let found = try mask.masks(frames: 10, rate: 30, from: 10.0 / 30, geometry: small) { _ in smallPicture }
        #expect(found.allSatisfy { $0.map { $0.storedWidth == 48 && $0.storedHeight == 24 } ?? true })
        #expect(found.last??.value(x: 4, y: 8) == 255)
    }

    @Test("A person who comes and goes fades in and out; an empty room has no mask")
    func presence() throws {
        let mask = PersonMask(segmenter: segmenter)
        let found = try masks(of: mask, frames: 60, rate: 30) { index in
            segmenter.confidence = { x, _ in index >= 10 && index < 30 && x < 16 ? 1 : 0 }
            segmenter.luma = { x, _ in index >= 10 && index < 30 && x < 16 ? 0.8 : 0.3 }
        }
        #expect(found[0..<10].allSatisfy { $0 == nil })
        #expect(try #require(found[28]).value(x: 4, y: 8) == 255)
        #expect(found[45...].allSatisfy { $0 == nil })
    }

    @Test("A speck that the model takes for a person does not count")
    func speck() throws {
        segmenter.confidence = { x, y in x == 3 && y == 3 ? 0.9 : 0.1 }
        let found = try masks(of: PersonMask(segmenter: segmenter), frames: 20, rate: 30)
        #expect(found.allSatisfy { $0 == nil })
    }

    @Test("Where the picture rests, a model that wavers moves the mask little")
    func flicker() throws {
        let mask = PersonMask(segmenter: segmenter)
        let found = try masks(of: mask, frames: 60, rate: 15) { index in
            segmenter.confidence = { x, _ in x < 14 ? 1 : x > 17 ? 0 : index % 2 == 0 ? 0.75 : 0.4 }
            segmenter.luma = { x, _ in x < 16 ? 0.7 : 0.3 }
        }
        for x in 12..<20 {
            let values = found[30...].map { $0.map { Int($0.value(x: x, y: 8)) } ?? 0 }
            #expect(values.max()! - values.min()! <= 24, "column \(x)")
        }
    }

    @Test("Where the picture moves, the mask follows at once")
    func motion() throws {
        let mask = PersonMask(segmenter: segmenter)
        let found = try masks(of: mask, frames: 9, rate: 15) { index in
            let edge = index < 8 ? 10 : 22
            picture = Self.picture(level: index < 8 ? 128 : 60)
            segmenter.confidence = { x, _ in x < edge ? 1 : 0 }
            segmenter.luma = { x, _ in x < edge ? 0.8 : 0.2 }
        }
        #expect(try #require(found[7]).value(x: 16, y: 8) == 0)
        #expect(try #require(found[8]).value(x: 16, y: 8) >= 250)
    }

    @Test("Inference on still pictures is spread over three frames, except with motion or at low rates")
    func spread() throws {
        for (rate, moves, isSpread) in [(30.0, false, true), (30, true, false), (10, false, false)] {
            segmenter.confidence = { x, _ in x < 16 ? 1 : 0 }
            let mask = PersonMask(segmenter: segmenter)
            var counts: [Int] = []
            _ = try masks(of: mask, frames: 9, rate: rate) { index in
                counts.append(mask.inferenceCount)
                picture = Self.picture(level: moves ? 20 + index % 8 * 25 : 128)
            }
            // The second inference begins with frame 6 of 30 a second, and its model runs with the next one.
            #expect(counts[0] == 0 && counts[1] == 1)
            if isSpread { #expect(counts[7] == 1 && counts[8] == 2) } else { #expect(counts[7] > 2) }
        }
    }

    @Test("A place that changes without moving takes the same time at every rate")
    func mediaTime() throws {
        var levels: [Int] = []
        for rate in [15.0, 30, 60] {
            let mask = PersonMask(segmenter: segmenter)
            let found = try masks(of: mask, frames: Int(rate), rate: rate) { index in
                let edge = Double(index) / rate < 0.5 ? 10 : 22
                segmenter.confidence = { x, _ in x < edge ? 1 : 0 }
            }
            // Between two inferences: while nothing moves, one may end two frames after it began.
            levels.append(Int(try #require(found[Int(0.9 * rate)]).value(x: 16, y: 8)))
        }
        #expect(levels.allSatisfy { $0 > 20 && $0 < 235 })
        #expect(levels.max()! - levels.min()! <= 60, "\(levels)")
    }

    @Test("The mask's edge snaps to a nearby edge of the picture")
    func guided() throws {
        segmenter.confidence = { x, _ in max(0, min(1, 0.5 + (15.5 - Float(x)) / 8)) }
        segmenter.luma = { x, _ in x < 15 ? 0.9 : 0.1 }
        let mask = try #require(try masks(of: PersonMask(segmenter: segmenter), frames: 1, rate: 30)[0])
        let step = Int(mask.value(x: 14, y: 8)) - Int(mask.value(x: 15, y: 8))
        #expect(step > 80)
    }

    @Test("Second inferences run in idle frames", arguments: [12.0, 25, 30, 60])
    func secondInferences(rate: Double) throws {
        segmenter.confidence = { x, _ in x < 16 ? 1 : 0 }
        for (moves, isDenied) in [(false, false), (true, false), (false, true)] {
            segmenter.second = { x, _ in x < (isDenied ? 14 : 16) ? 1 : 0 }
            let mask = PersonMask(segmenter: segmenter)
            var last = (looks: 0, again: 0, turns: segmenter.turnCount)
            _ = try masks(of: mask, frames: Int(3 * rate), rate: rate) { index in
                picture = Self.picture(level: moves ? 120 + index % 2 * 4 : 128)
                if rate > 20 { #expect(mask.secondInferenceCount - last.again + mask.inferenceCount - last.looks <= 1) }
                // While nothing moves its input is prepared in another frame, too.
                if rate > 20, !moves, index > 2 {
                    #expect(mask.secondInferenceCount - last.again + segmenter.turnCount - last.turns <= 1)
                }
                last = (mask.inferenceCount, mask.secondInferenceCount, segmenter.turnCount)
            }
            #expect(mask.secondInferenceCount == (isDenied ? 4 : 2))
        }
    }

    @Test("Two second inferences remove a region until motion occurs; one does not")
    func doubt() throws {
        let mask = PersonMask(segmenter: segmenter)
        segmenter.confidence = { _, _ in 1 }
        segmenter.second = { x, _ in x < 4 ? 1 : 0 }
        let found = try masks(of: mask, frames: 90, rate: 30) { index in
            if index > 1 { segmenter.second = { x, _ in x < 18 ? 1 : 0 } }
            segmenter.luma = { x, _ in x >= 25 && index >= 60 ? 0.9 : 0.5 }
        }
        let still = try #require(found[59])
        #expect(still.value(x: 2, y: 8) == 255 && still.value(x: 10, y: 8) == 255)
        #expect(still.value(x: 26, y: 8) == 0)
        // A person appeared.
        #expect(try #require(found[72]).value(x: 26, y: 8) == 255)
    }

    @Test("A cut resets the mask and what was denied, at once", arguments: [false, true])
    func cut(showsPerson: Bool) throws {
        let mask = PersonMask(segmenter: segmenter)
        segmenter.second = { x, _ in x < 18 ? 1 : 0 }
        let found = try masks(of: mask, frames: 80, rate: 30) { index in
            let isLater = index >= 60
            picture = Self.picture(level: isLater ? 40 : 128)
            segmenter.luma = { _, _ in isLater ? 0.2 : 0.5 }
            segmenter.confidence = { _, _ in isLater && !showsPerson ? 0 : 1 }
            if isLater { segmenter.second = nil }
        }
        #expect(try #require(found[59]).value(x: 26, y: 8) == 0)
        #expect(found[60]?.value(x: 26, y: 8) == (showsPerson ? 255 : nil))
        #expect(mask.cutCount == 1)
    }

    @Test("A time jump resets the mask, and equal frames give equal masks")
    func repeatable() throws {
        let mask = PersonMask(segmenter: segmenter)
        segmenter.confidence = { x, y in Float((x * 37 + y * 91) % 100) / 100 * (x < 16 ? 1 : 0.4) }
        let first = try masks(of: mask, frames: 20, rate: 30)
        let again = try masks(of: mask, frames: 20, rate: 30)
        let later = try masks(of: mask, frames: 20, rate: 30, from: 60)
        #expect(first == again)
        #expect(first == later)
    }
}
