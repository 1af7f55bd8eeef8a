import Foundation
@testable import Puppet
import Raster
import TestSupport

/// Scripts that the tests play.
enum Scripts {
    /// A short call of one cue: the pose is reached at 0.5 s and held for 1.4 s.
    static func cue(
        _ pose: PuppetPose, _ hands: PuppetCue.Hands, rightHold: Double? = nil,
        width: Int = 320, height: Int = 180, scene: PuppetScene? = nil
    ) -> PuppetScript {
        PuppetScript(
            width: width, height: height, rate: 10, duration: 2.5, scene: scene,
            cues: [PuppetCue(time: 0.5, pose: pose, hands: hands, hold: 1.4, rightHold: rightHold)])
    }

    static func path(_ name: String) -> String {
        Repository.root.appending(path: "Assets/Puppet/\(name).json").path
    }
}

extension PuppetDirector {
    /// One frame's planes.
    func planes(ofFrame frame: Int) -> [[UInt8]] {
        let buffer = PlaneBuffer(format: format)
        buffer.withPicture { draw(frame: frame, into: &$0) }
        return buffer.planes()
    }
}

/// FNV-1a, <https://www.rfc-editor.org/rfc/rfc9923.html>.
func checksum(_ planes: [[UInt8]]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for plane in planes {
        for byte in plane { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return hash
}
