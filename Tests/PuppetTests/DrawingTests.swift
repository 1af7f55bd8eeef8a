@testable import Puppet
import Testing

@Suite("The director draws")
struct DrawingTests {
    @Test("the same frame twice alike, whatever was drawn before")
    func deterministic() throws {
        let script = Scripts.cue(.victory, .both, width: 160, height: 90)
        let first = try PuppetDirector(script: script)
        let second = try PuppetDirector(script: script)
        let forward = [3, 8, 15].map { checksum(first.planes(ofFrame: $0)) }
        let backward = [15, 8, 3].map { checksum(second.planes(ofFrame: $0)) }
        #expect(forward == backward.reversed())
        #expect(Set(forward).count == 3, "the picture moves")
    }

    @Test("odd and upright sizes", arguments: [(101, 77), (90, 160), (64, 64)])
    func sizes(width: Int, height: Int) throws {
        let director = try PuppetDirector(script: Scripts.cue(.openPalm, .left, width: width, height: height))
        let planes = director.planes(ofFrame: 8)
        #expect(
            planes.map(\.count) == [width * height] + [Int](repeating: ((width + 1) / 2) * ((height + 1) / 2), count: 2)
        )
    }

    @Test("skin of the tone, and light of the strength, that the script asks for")
    func scenes() throws {
        func mean(_ scene: PuppetScene) throws -> Double {
            let director = try PuppetDirector(
                script: Scripts.cue(.openPalm, .left, width: 96, height: 54, scene: scene))
            let luma = director.planes(ofFrame: 10)[0]
            return luma.reduce(0) { $0 + Double($1) } / Double(luma.count)
        }
        let usual = try mean(PuppetScene())
        #expect(try mean(PuppetScene(skin: "dark")) < usual - 1)
        #expect(try mean(PuppetScene(light: 0.5)) < 0.7 * usual)
        #expect(try mean(PuppetScene(person: false)) > usual)
    }

    @Test("no hand before it rises and after it went down")
    func handsLeave() throws {
        let director = try PuppetDirector(script: Scripts.cue(.fist, .right))
        #expect(director.handsSeen(at: 0).isEmpty)
        #expect(director.handsSeen(at: 1).map(\.hand) == ["right"])
        #expect(director.handsSeen(at: 2.45).isEmpty)
    }

    @Test("one hand of a pair leaving early")
    func oneHandLeaves() throws {
        let director = try PuppetDirector(script: Scripts.cue(.horns, .both, rightHold: 0.3))
        #expect(director.handsSeen(at: 0.6).count == 2)
        #expect(director.handsSeen(at: 1.6).map(\.hand) == ["left"])
        #expect(director.truth.cues[0].gesture == nil)
    }
}
