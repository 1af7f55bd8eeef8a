import MediaIO
import Puppet
import Raster
import Reactions
import TestSupport
import Testing

@testable import Pipeline

/// The virtual camera, on drawn paths of people.
@Suite("Auto framing: the camera")
struct FramingCameraTests {
    private static let rate = 30.0
    private static let width = 1280.0

    /// A face of a tenth of the picture's height in 16:9, with its middle at a place.
    private static func face(_ x: Double, _ y: Double = 0.45, height: Double = 0.1) -> Rectangle {
        let width = height * 9 / 16
        return Rectangle(left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2)
    }

    /// Noise of detections, −1…1: the same in every run.
    private static func noise(_ index: Int, _ seed: Int) -> Double {
        var state = SplitMix(UInt64(truncatingIfNeeded: index &* 7919 &+ seed &* 104_729 &+ 1))
        return Double(state.next() >> 11) / Double(1 << 52) - 1
    }

    private struct SplitMix {
        var state: UInt64
        init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    /// Follows faces as ``AutoFraming`` does.
    ///
    /// - Parameter faces: Returns the detected faces at a time.
    /// - Returns: The view of each frame.
    private static func follow(
        seconds: Double, strength: Double = 0.6, faces: (_ time: Double) -> [Rectangle]
    ) -> [CameraView] {
        var camera = FramingCamera(), subjects = FramingSubjects(), last: Double?
        return (0..<Int(seconds * rate)).map { index in
            let time = Double(index) / rate
            let interval = camera.isMoving ? 0.125 : 0.2
            if last.map({ time - $0 >= interval - 0.004 }) ?? true {
                subjects.follow(faces(time), at: time, isCertain: last == nil)
                if let wanted = CameraView(of: subjects.faces, strength: strength) {
                    if last == nil { camera.cut(to: wanted) } else { camera.point(at: wanted, at: time, for: 0.125) }
                }
                last = time
            }
            camera.advance(to: time)
            return camera.view
        }
    }

    /// A walk from one place to another with a smooth beginning and end.
    private static func walk(from a: Double, to b: Double, start: Double, seconds: Double, at time: Double) -> Double {
        let t = min(max((time - start) / seconds, 0), 1)
        return a + (b - a) * t * t * (3 - 2 * t)
    }

    @Test(
        "After a walk the camera is there within a second, without overshoot, and rests",
        arguments: [(0.35, 0.65, 0.8), (0.65, 0.4, 0.5), (0.4, 0.5, 0.3), (0.3, 0.62, 1.5)])
    func walk(_ from: Double, _ to: Double, _ seconds: Double) {
        for noise in [0, 0.003] {
            let stop = 2 + seconds
            let views = Self.follow(seconds: stop + 4) { time in
                let index = Int(time * Self.rate)
                return [
                    Self.face(
                        Self.walk(from: from, to: to, start: 2, seconds: seconds, at: time)
                            + noise * Self.noise(index, 1), 0.45 + noise * Self.noise(index, 2))
                ]
            }
            let stopped = Int(stop * Self.rate), last = views.last!
            // The camera may rest within its dead zone, but comes near the middle.
            #expect(abs(last.x - to) < 0.02)
            let direction = to > from ? 1.0 : -1.0
            let overshoot = views.map { ($0.x - last.x) * direction }.max()!
            #expect(overshoot < 0.02, "overshoot \(overshoot)")
            for view in views[(stopped + Int(Self.rate))...] { #expect(abs(view.x - last.x) < 0.01) }
            let resting = views[(stopped + Int(2.5 * Self.rate))...]
            for (one, next) in zip(resting, resting.dropFirst()) { #expect(Self.movement(one, next) < 0.2) }
        }
    }

    /// The greatest movement of a corner of the picture between two frames, in pixels of the output.
    private static func movement(_ a: CameraView, _ b: CameraView) -> Double {
        let one = a.crop, other = b.crop
        let left = abs(one.x - other.x), right = abs(one.x + one.width - other.x - other.width)
        let top = abs(one.y - other.y), bottom = abs(one.y + one.height - other.y - other.height)
        return max(left, right, top * 9 / 16, bottom * 9 / 16) * width / b.size
    }

    @Test("People who sit still, with noise and small movements, see at most one pixel a frame")
    func sitting() {
        for seed in 0..<8 {
            let views = Self.follow(seconds: 20) { time in
                let index = Int(time * Self.rate)
                let sway = 0.012 * (time * 0.9 + Double(seed)).truncatingRemainder(dividingBy: 2) - 0.012
                return [
                    Self.face(
                        0.45 + sway + 0.004 * Self.noise(index, seed), 0.4 + 0.006 * Self.noise(index, seed + 50),
                        height: (seed % 2 == 0 ? 0.12 : 0.2) * (1 + 0.04 * Self.noise(index, seed + 90)))
                ]
            }
            for (one, next) in zip(views, views.dropFirst()) { #expect(Self.movement(one, next) <= 1) }
            #expect(Set(views.suffix(300)).count == 1)
        }
    }

    @Test("Movement is smooth: speed changes gradually, and is limited")
    func smooth() {
        let views = Self.follow(seconds: 8) { time in
            [Self.face(Self.walk(from: 0.35, to: 0.65, start: 2, seconds: 0.1, at: time))]
        }
        let speeds = zip(views, views.dropFirst()).map { ($1.x - $0.x) * Self.rate }
        #expect(speeds.max()! <= 0.8 && speeds.max()! > 0.2)
        for (one, next) in zip(speeds, speeds.dropFirst()) { #expect(abs(next - one) * Self.rate < 2.6) }
    }

    @Test("A second person opens the picture, and it closes after they left")
    func two() {
        let views = Self.follow(seconds: 16) { time in
            [Self.face(0.3)] + ((4..<9).contains(time) ? [Self.face(0.7)] : [])
        }
        func at(_ time: Double) -> PictureCrop { views[Int(time * Self.rate)].crop }
        #expect(at(3.9).width < 0.65 && at(3.9).x + at(3.9).width < 0.7)
        #expect(at(6).x < 0.24 && at(6).x + at(6).width > 0.76)
        #expect(at(15.9).width < 0.65)
    }

    @Test("The strength limits the enlargement, to twice the size at most")
    func strength() {
        for strength in [0.1, 0.5, 1] {
            for height in [0.03, 0.1, 0.2, 0.5] {
                let view = CameraView(of: [Self.face(0.5, height: height)], strength: strength)!
                #expect(1 / view.size <= 1 + strength + 1e-9 && view.size <= 1)
            }
        }
        #expect(CameraView(of: [Self.face(0.5, height: 0.05)], strength: 1)!.size == 0.5)
        #expect(CameraView(of: [], strength: 1) == nil)
    }

    @Test("The eyes are near the upper third, the head is within the picture, and the view within the input")
    func headroom() {
        for (x, y, height) in [(0.5, 0.5, 0.1), (0.1, 0.3, 0.1), (0.95, 0.2, 0.15), (0.5, 0.15, 0.2), (0.4, 0.8, 0.1)] {
            let face = Self.face(x, y, height: height)
            let crop = CameraView(of: [face], strength: 1)!.crop
            #expect(
                crop.x >= -1e-9 && crop.y >= -1e-9 && crop.x + crop.width <= 1 + 1e-9
                    && crop.y + crop.height <= 1 + 1e-9)
            #expect(crop.y <= max(face.head.top, 0) && crop.x <= max(face.left, 0))
            if (0.3...0.6).contains(y) {
                let eyes = crop.placeInCrop(PicturePoint(x: x, y: face.top + 0.35 * height)).y
                #expect((0.3...0.45).contains(eyes), "\(eyes)")
            }
        }
    }

    @Test("A face that is seen once is not followed, and someone who hides the face is not forgotten at once")
    func subjects() {
        var subjects = FramingSubjects()
        subjects.follow([Self.face(0.3)], at: 0, isCertain: true)
        subjects.follow([Self.face(0.31), Self.face(0.8)], at: 0.2)
        #expect(subjects.faces.count == 1)
        for index in 2..<6 { subjects.follow([Self.face(0.31)], at: 0.2 * Double(index)) }
        #expect(subjects.faces.count == 1)
        subjects.follow([], at: 2.2)
        #expect(subjects.faces.count == 1)
        subjects.follow([], at: 2.8)
        #expect(subjects.faces.isEmpty)
    }

    @Test("Someone who moves faster than the detections is one person")
    func jump() {
        var subjects = FramingSubjects()
        subjects.follow([Self.face(0.2)], at: 0, isCertain: true)
        subjects.follow([Self.face(0.8)], at: 0.2)
        subjects.follow([Self.face(0.8)], at: 0.4)
        #expect(subjects.faces.count == 1 && subjects.faces[0].left > 0.7)
    }

    @Test("Small faces in the background do not count")
    func background() {
        var subjects = FramingSubjects()
        subjects.follow([Self.face(0.3, height: 0.3), Self.face(0.8, height: 0.05)], at: 0, isCertain: true)
        #expect(subjects.faces.count == 1)
    }

    @Test("The camera opens slowly when nobody is there, and at once when it is told to cut")
    func opening() {
        var camera = FramingCamera()
        camera.cut(to: CameraView(x: 0.4, y: 0.4, size: 0.6))
        camera.advance(to: 0)
        camera.open(.opening)
        var last = camera.view
        for index in 1...300 {
            camera.advance(to: Double(index) / Self.rate)
            #expect(camera.view.size - last.size <= 0.15 / Self.rate + 1e-9 && camera.view.size >= last.size)
            last = camera.view
        }
        #expect(camera.view == .whole && !camera.isMoving)
    }

    @Test("The views do not depend on the frame rate")
    func rates() {
        func end(_ rate: Double) -> CameraView {
            var camera = FramingCamera()
            camera.cut(to: CameraView(x: 0.4, y: 0.5, size: 0.6))
            camera.advance(to: 0)
            for index in 0..<3 {
                camera.point(at: CameraView(x: 0.6, y: 0.5, size: 0.6), at: 0.1 * Double(index), for: 0.125)
            }
            for index in 1...Int(0.5 * rate) { camera.advance(to: Double(index) / rate) }
            return camera.view
        }
        #expect(abs(end(24).x - end(60).x) < 0.002)
    }
}

/// Auto framing of drawn pictures, with the detector of faces.
@Suite("Auto framing: pictures")
struct AutoFramingTests {
    private let pool = FramePool()

    /// A room, and a small puppet in it.
    private struct Stage {
        let room: PuppetDirector
        let person: PuppetDirector
        let pool: FramePool

        init(_ pool: FramePool) throws {
            self.pool = pool
            func director(_ width: Int, _ height: Int, hasPerson: Bool) throws -> PuppetDirector {
                try PuppetDirector(
                    script: PuppetScript(
                        width: width, height: height, rate: 30, duration: 60,
                        scene: PuppetScene(noise: 0, seed: 3, person: hasPerson), cues: []))
            }
            room = try director(960, 540, hasPerson: false)
            person = try director(480, 270, hasPerson: true)
        }

        /// Draws the puppet at the lower edge, with its middle at a column.
        func frame(_ index: Int, columns: [Int]) throws -> VideoFrame {
            var frame = try VideoFrame(format: room.format, time: MediaTime(seconds: Double(index) / 30), pool: pool)
            try frame.withMutablePicture(pool: pool) { picture in
                room.draw(frame: 0, into: &picture)
                for column in columns {
                    let left = (column - 240) & ~1
                    picture.withRegion(columns: left..<left + 480, rows: 270..<540) { part in
                        person.drawPerson(frame: index, over: &part)
                    }
                }
            }
            return frame
        }

        /// The place of the puppet's face between the eyes.
        static func face(_ column: Int) -> PicturePoint {
            PicturePoint(x: Double(column) / 960, y: (270 + 0.36 * 270) / 540)
        }
    }

    @Test("The face of a puppet that walks through the room stays near its place in the picture")
    func walk() throws {
        let stage = try Stage(pool)
        let framing = AutoFraming(finder: FaceFinder(resources: Resources.located()))
        var offsets: [Double] = [], crops: [PictureCrop?] = []
        for index in 0..<210 {
            // One second at rest, two seconds of walking, four seconds at rest.
            let share = min(max(Double(index - 30) / 60, 0), 1)
            let column = 300 + Int(330 * share * share * (3 - 2 * share)) & ~1
            let frame = try stage.frame(index, columns: [column])
            let crop = framing.crop(
                of: frame, strength: 0.8, isGallery: false, isFirst: index == 0, at: Double(index) / 30)
            crops.append(crop)
            let shown = try #require(crop, "frame \(index)").placeInCrop(Stage.face(column))
            offsets.append(shown.x - 0.5)
            #expect(abs(shown.x - 0.5) < 0.3 && (0.2...0.55).contains(shown.y), "frame \(index): \(shown)")
        }
        #expect(framing.takeWarnings().isEmpty)
        #expect(offsets[..<30].allSatisfy { abs($0) < 0.06 } && offsets[125...].allSatisfy { abs($0) < 0.06 })
        #expect(Set(crops[..<30]).count == 1, "the camera rests before the walk")
        #expect(Set(crops[190...]).count == 1, "the camera rests after the walk")
    }

    @Test("The camera cuts with the scene")
    func cut() throws {
        let stage = try Stage(pool)
        let framing = AutoFraming(finder: FaceFinder(resources: Resources.located()))
        func crop(_ index: Int, _ frame: borrowing VideoFrame) -> PictureCrop? {
            framing.crop(of: frame, strength: 1, isGallery: false, isFirst: index == 0, at: Double(index) / 30)
        }
        for index in 0..<10 { _ = crop(index, try stage.frame(index, columns: [300])) }
        let other = try PuppetDirector(
            script: PuppetScript(
                width: 960, height: 540, rate: 30, duration: 60,
                scene: PuppetScene(wall: "#203040", noise: 0, seed: 9, person: false), cues: []))
        func second(_ index: Int) throws -> VideoFrame {
            var frame = try VideoFrame(format: other.format, time: MediaTime(seconds: Double(index) / 30), pool: pool)
            try frame.withMutablePicture(pool: pool) { picture in
                picture.with8BitPlane(.luma) { samples, stride in
                    for y in 0..<540 {
                        for x in 0..<960 { samples[y * stride + x] = UInt8(40 + (x / 24 + y / 24) % 7 * 25) }
                    }
                }
                picture.with8BitPlane(.cb) {
                    for i in $0.indices { $0[i] = 128 }; _ = $1
                }
                picture.with8BitPlane(.cr) {
                    for i in $0.indices { $0[i] = 128 }; _ = $1
                }
                picture.withRegion(columns: 400..<880, rows: 270..<540) { stage.person.drawPerson(frame: 0, over: &$0) }
            }
            return frame
        }
        let shown = try #require(crop(10, try second(10)))
        #expect(abs(shown.placeInCrop(Stage.face(640)).x - 0.5) < 0.06)
        #expect(crop(11, try second(11)) == shown)
    }

    @Test("Switched on and off during a run, the camera moves; in a gallery there is none")
    func switching() throws {
        let stage = try Stage(pool)
        let framing = AutoFraming(finder: FaceFinder(resources: Resources.located()))
        var sizes: [Double] = []
        for index in 0..<180 {
            let frame = try stage.frame(index, columns: [480])
            let strength = (20..<110).contains(index) ? 0.8 : 0
            let crop = framing.crop(
                of: frame, strength: strength, isGallery: false, isFirst: index == 0, at: Double(index) / 30)
            sizes.append(crop?.width ?? 1)
        }
        #expect(sizes[..<20].allSatisfy { $0 == 1 } && sizes[100] < 0.7 && sizes[179] == 1)
        for (one, next) in zip(sizes, sizes.dropFirst()) { #expect(abs(next - one) < 0.04) }
        let frame = try stage.frame(180, columns: [480])
        for time in [6.0, 6.1] {
            #expect(framing.crop(of: frame, strength: 1, isGallery: true, isFirst: false, at: time) == nil)
        }
        let warnings = framing.takeWarnings()
        #expect(warnings.map(\.code) == [.notFramed])
    }
}
