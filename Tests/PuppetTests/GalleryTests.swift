import Foundation
@testable import Puppet
import Testing

@Suite("A gallery")
struct GalleryTests {
    /// Two callers and one whose camera is off: a grid, then a speaker with a strip.
    private static func gallery(corner: Int = 0, turns: [PuppetTurn]? = nil) -> PuppetGallery {
        let cue = PuppetCue(time: 0.5, pose: .victory, hands: .left, hold: 1.4)
        return PuppetGallery(
            width: 480, height: 270, rate: 10, duration: 4,
            callers: [
                PuppetCaller(name: "Ada", scene: PuppetScene(skin: "dark"), cues: [cue]),
                PuppetCaller(name: "Ben", scene: PuppetScene(wall: "#c9b79c", noise: 0), zoom: 1.5),
                PuppetCaller(name: "Finn O.", camera: false),
            ],
            views: [
                PuppetView(time: 0, kind: .grid, callers: ["Ada", "Ben", "Finn O."]),
                PuppetView(time: 2, kind: .speaker, callers: ["Ben", "Ada"], strip: .bottom),
            ],
            background: "#000000", gutter: 6, margin: 8, corner: corner, labels: false, turns: turns)
    }

    private static func planes(_ director: PuppetGalleryDirector, frame: Int) -> [[UInt8]] {
        let buffer = PlaneBuffer(format: director.format)
        buffer.withPicture { director.draw(frame: frame, into: &$0) }
        return buffer.planes()
    }

    @Test("has the same frames in any order")
    func deterministic() throws {
        let first = try PuppetGalleryDirector(gallery: Self.gallery(corner: 8))
        let second = try PuppetGalleryDirector(gallery: Self.gallery(corner: 8))
        let forward = [3, 10, 25].map { checksum(Self.planes(first, frame: $0)) }
        let backward = [25, 10, 3].map { checksum(Self.planes(second, frame: $0)) }
        #expect(forward == backward.reversed())
        #expect(Set(forward).count == 3)
    }

    /// The luma of a tile.
    private static func part(_ tile: PuppetGalleryTruth.Tile, of luma: [UInt8], width: Int) -> [UInt8] {
        (tile.y..<tile.y + tile.height).flatMap { y -> ArraySlice<UInt8> in
            let start = y * width + tile.x
            return luma[start..<start + tile.width]
        }
    }

    @Test("shows each caller's own picture in the tile that the truth names, and the background elsewhere")
    func tiles() throws {
        let gallery = Self.gallery()
        let director = try PuppetGalleryDirector(gallery: gallery)
        for (frame, layout) in zip([10, 30], director.truth.layouts) {
            let luma = Self.planes(director, frame: frame)[0]
            var isOutside = [Bool](repeating: true, count: luma.count)
            for tile in layout.tiles {
                for y in tile.y..<tile.y + tile.height {
                    for x in tile.x..<tile.x + tile.width { isOutside[y * gallery.width + x] = false }
                }
                let inner = Self.part(tile, of: luma, width: gallery.width)
                #expect(inner.contains { $0 != 16 })
                guard tile.name == "Ada" else { continue }
                let script = PuppetScript(
                    width: tile.width, height: tile.height, rate: 10, duration: 4, scene: gallery.callers[0].scene,
                    cues: gallery.callers[0].cues ?? [])
                let alone = try PuppetDirector(script: script).planes(ofFrame: frame)[0]
                #expect(inner == alone)
            }
            let outside = zip(luma, isOutside).filter(\.1).map(\.0)
            #expect(outside.allSatisfy { $0 == 16 })
        }
    }

    @Test("has a truth with layouts, kinds of tiles, and joints inside of the tile")
    func truth() throws {
        let truth = try PuppetGalleryDirector(gallery: Self.gallery()).truth
        #expect(truth.layouts.map { [$0.from, $0.until] } == [[0, 2], [2, 4]])
        #expect(truth.layouts[0].tiles.map(\.kind) == [.person, .person, .avatar])
        #expect(truth.layouts[1].tiles.map(\.id) == [2, 1])
        let tile = truth.layouts[0].tiles[0]
        let cue = try #require(truth.callers[0].cues.first)
        #expect(cue.gesture == "victory")
        for joint in try #require(cue.handsSeen.first).joints {
            let place = (x: Int(joint[0] * 480), y: Int(joint[1] * 270))
            #expect(
                (tile.x...tile.x + tile.width).contains(place.x) && (tile.y...tile.y + tile.height).contains(place.y))
        }
    }

    @Test("marks the speaker without touching the tile")
    func speaker() throws {
        let plain = try PuppetGalleryDirector(gallery: Self.gallery())
        let marked = try PuppetGalleryDirector(
            gallery: Self.gallery(turns: [PuppetTurn(time: 0.5, caller: "Ada"), PuppetTurn(time: 1.5, caller: nil)]))
        let (before, after) = (Self.planes(plain, frame: 10)[0], Self.planes(marked, frame: 10)[0])
        let tile = plain.truth.layouts[0].tiles[0]
        for (index, (old, new)) in zip(before, after).enumerated() where old != new {
            let (x, y) = (index % 480, index / 480)
            #expect(!(tile.x..<tile.x + tile.width).contains(x) || !(tile.y..<tile.y + tile.height).contains(y))
        }
        #expect(before != after)
        #expect(Self.planes(plain, frame: 18) == Self.planes(marked, frame: 18))
    }

    @Test("that asks for what cannot be drawn is refused")
    func invalid() throws {
        var gallery = Self.gallery()
        gallery.views[1].callers = ["Ben", "Zoe"]
        #expect(throws: PuppetError.self) { try PuppetGalleryDirector(gallery: gallery) }
        gallery = Self.gallery()
        gallery.views[0].time = 1
        #expect(throws: PuppetError.self) { try PuppetGalleryDirector(gallery: gallery) }
        gallery = Self.gallery()
        gallery.margin = 130
        #expect(throws: PuppetError.self) { try PuppetGalleryDirector(gallery: gallery) }
    }

    @Test("is distinguished from a script of one caller by its fields")
    func files() throws {
        #expect(try PuppetGallery(path: Scripts.path("call")) == nil)
        let gallery = try #require(try PuppetGallery(path: Scripts.path("Galleries/team")))
        #expect(gallery.callers.count == 9)
        #expect(gallery.tiles(of: gallery.views[2]).count == 9)
    }
}
