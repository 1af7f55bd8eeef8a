import Foundation
import Reactions
import Testing

@testable import Effects
@testable import Raster

@Suite("The hold ring")
struct HoldRingTests {
    private static let palm = PicturePoint(x: 0.06, y: 0.06 * 16 / 9)
    private static let geometry = DisplayGeometry(storedWidth: 320, storedHeight: 180)

    private func ring(_ progress: Double, at x: Double = 0.7) -> HoldRing {
        HoldRing(beside: PicturePoint(x: x, y: 0.5), palm: Self.palm, progress: progress)
    }

    private func draw(
        _ ring: HoldRing, depth: Int = 8, isCalm: Bool = false, geometry: DisplayGeometry = Self.geometry,
        onLuma ground: Int? = nil
    ) throws -> EffectTestFrame {
        var frame = EffectTestFrame(
            PictureFormat(width: geometry.storedWidth, height: geometry.storedHeight, bitDepth: depth), flat: true)
        if let ground {
            for y in 0..<geometry.storedHeight { for x in 0..<geometry.storedWidth { frame[.luma, x, y] = ground } }
        }
        var pen = HoldRingPen()
        try frame.lend { picture in pen.draw([ring], on: &picture, geometry: geometry, isCalm: isCalm) }
        return frame
    }

    /// The number of luma samples that are brighter than the ground.
    private func brightCount(_ frame: EffectTestFrame) -> Int {
        var count = 0
        for y in 0..<frame.format.height {
            for x in 0..<frame.format.width where frame[.luma, x, y] > 150 { count += 1 }
        }
        return count
    }

    /// `FLOURISH_UPDATE_GOLDENS=1` writes the file again.
    @Test func matchesTheGoldenChecksums() throws {
        var text = ""
        for depth in [8, 10] {
            for isCalm in [false, true] {
                for progress in [0.15, 0.3, 0.6, 1] {
                    let frame = try draw(ring(progress), depth: depth, isCalm: isCalm)
                    text += "\(depth) bit  \(isCalm ? "calm  " : "")\(progress)  \(frame.checksum)\n"
                }
            }
        }
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens/hold-ring.txt")
        if ProcessInfo.processInfo.environment["FLOURISH_UPDATE_GOLDENS"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test func fillsWithTheHold() throws {
        let counts = try [0.25, 0.5, 0.75, 1].map { brightCount(try draw(ring($0))) }
        #expect(counts[0] > 10)
        for (earlier, later) in zip(counts, counts.dropFirst()) { #expect(later > earlier * 5 / 4, "\(counts)") }
    }

    /// WCAG 2.2, 1.4.11, asks for a contrast of 3:1 between adjacent colours of graphics: grey of 149 beside white.
    @Test("Its line and its track differ from a wall of any brightness", arguments: [16, 120, 235], [false, true])
    func isVisible(ground: Int, isCalm: Bool) throws {
        let ring = ring(0.5)
        let frame = try draw(ring, isCalm: isCalm, onLuma: ground)
        let radius = ring.radius * 180
        /// The samples along a ray from the centre to beyond the ring, at an angle in turns, clockwise from the top.
        func ray(_ turns: Double) -> [Int] {
            stride(from: radius * 0.5, to: radius * 1.5, by: 0.25).map { r in
                frame[
                    .luma, Int(ring.place.x * 320 + r * EffectMath.sine(turns: turns)),
                    Int(ring.place.y * 180 - r * EffectMath.cosine(turns: turns))]
            }
        }
        let filled = ray(0.25), unfilled = ray(0.75)
        let line = try #require(filled.max()), track = try #require(unfilled.min())
        #expect(line - track > 80, "the line stands out from the track")
        #expect(max(line - ground, ground - (filled.min() ?? ground)) > 60, "the filled part stands out from the wall")
    }

    @Test func aHandThatPassesByShowsNone() throws {
        let ground = EffectTestFrame(PictureFormat(width: 320, height: 180, bitDepth: 8), flat: true)
        #expect(try draw(ring(0.1)) == ground)
    }

    @Test func isFainterAndOfOneWidthWhenCalm() throws {
        #expect(brightCount(try draw(ring(1), isCalm: true)) < brightCount(try draw(ring(1))))
        func brightest(_ frame: EffectTestFrame) -> Int {
            (0..<180).flatMap { y in (0..<320).map { frame[.luma, $0, y] } }.max() ?? 0
        }
        #expect(brightest(try draw(ring(1), isCalm: true)) < brightest(try draw(ring(1))) - 10)
    }

    @Test("is beside the hand and within the picture", arguments: [0.0, 0.03, 0.2, 0.49, 0.5, 0.8, 0.97, 1.0])
    func place(x: Double) {
        for y in [0.0, 0.5, 1.0] {
            for scale in [0.3, 1, 3] {
                let palm = PicturePoint(x: Self.palm.x * scale, y: Self.palm.y * scale)
                let ring = HoldRing(beside: PicturePoint(x: x, y: y), palm: palm, progress: 1)
                let width = ring.radius * 9 / 16
                #expect((width...1 - width).contains(ring.place.x), "\(ring)")
                #expect((ring.radius...1 - ring.radius).contains(ring.place.y), "\(ring)")
                if scale <= 1 { #expect((ring.place.x - x).magnitude > palm.x) }
            }
        }
    }

    @Test func isUprightOnAPictureThatIsTurned() throws {
        let sideways = DisplayGeometry(storedWidth: 180, storedHeight: 320, orientation: Orientation(quarterTurns: 1))
        let upright = try draw(ring(0.25)), turned = try draw(ring(0.25), geometry: sideways)
        // The first quarter is in the upper right of the ring.
        for (frame, geometry) in [(upright, Self.geometry), (turned, sideways)] {
            let ring = ring(0.25)
            let toStored = geometry.uprightToStored
            func luma(_ dx: Double, _ dy: Double) -> Int {
                let r = ring.radius * geometry.uprightHeight
                let p = toStored.apply(
                    x: ring.place.x * geometry.uprightWidth + dx * r, y: ring.place.y * geometry.uprightHeight + dy * r)
                return frame[.luma, Int(p.x), Int(p.y)]
            }
            #expect(luma(0.7, -0.7) > 150)
            #expect(luma(-0.7, 0.7) < 120)
        }
    }
}
