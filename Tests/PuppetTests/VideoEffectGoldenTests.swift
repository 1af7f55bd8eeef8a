import Foundation
import Testing

@testable import Puppet
@testable import Raster

/// Compares checksums of the puppet with Portrait and Studio Light with `Goldens/video-effects.txt`.
///
/// After an intended change regenerate the file and review the diff:
/// `FLOURISH_UPDATE_GOLDENS=1 swift test --filter VideoEffectGoldenTests`
@Suite("Golden frames of Portrait and Studio Light")
struct VideoEffectGoldenTests {
    @Test("Frames of the puppet match the golden checksums")
    func frames() throws {
        let director = try PuppetDirector(
            script: PuppetScript(
                width: 320, height: 180, rate: 10, duration: 2, scene: PuppetScene(seed: 3),
                cues: [PuppetCue(time: 0.4, pose: .openPalm, hands: .right, hold: 1)]))
        let format = director.format
        let geometry = DisplayGeometry(storedWidth: format.width, storedHeight: format.height)
        let matte = PictureMatte(format)
        let lens = PortraitLens(matte), light = StudioLight(matte)
        let face = Rectangle(left: 0.42, top: 0.2, right: 0.58, bottom: 0.5)
        var text = ""
        for frame in 0..<8 {
            let time = Double(frame) / 10
            let mask = coarse(director, frame)
            matte.adopt(mask, width: 40, height: 23, strength: 1, geometry: geometry)
            for (name, portrait, studio) in [("portrait", 0.6, 0.0), ("studio-light", 0, 0.5), ("both", 1, 1)] {
                let buffer = PlaneBuffer(format: format)
                buffer.withPicture { picture in
                    director.draw(frame: frame, into: &picture)
                    if name == "portrait" {
                        picture.withPicture { matte.follow($0, at: time) }
                        light.follow([face], at: time, geometry: geometry, matte: matte)
                    }
                    if portrait > 0 { lens.draw(portrait, on: &picture, matte: matte) }
                    if studio > 0 { light.draw(studio, on: &picture, matte: matte) }
                }
                if frame % 3 == 1 { text += "\(frame) \(name) \(checksum(buffer))\n" }
            }
        }
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Goldens/video-effects.txt")
        if ProcessInfo.processInfo.environment["FLOURISH_UPDATE_GOLDENS"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    /// Returns the person's opacity in 40 × 23 cells, as a model finds it.
    private func coarse(_ director: PuppetDirector, _ frame: Int) -> [Float] {
        let planes = [UInt8(16), 235].map { code in
            let buffer = PlaneBuffer(format: director.format)
            buffer.withPicture { picture in
                picture.with8BitPlane(.luma) { samples, _ in for index in 0..<samples.count { samples[index] = code } }
                director.drawPerson(frame: frame, over: &picture)
            }
            return buffer.planes()[0]
        }
        return (0..<40 * 23).map { cell in
            let place = min(cell / 40 * 8 + 4, 179) * 320 + cell % 40 * 8 + 4
            return max(0, min(1, 1 - (Float(planes[1][place]) - Float(planes[0][place])) / 219))
        }
    }

    /// Returns a checksum of all samples (FNV-1a).
    private func checksum(_ buffer: PlaneBuffer) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for value in buffer.planes().joined() { hash = (hash ^ UInt64(value)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
