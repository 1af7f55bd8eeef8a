internal import FoundationEssentials
internal import MediaIO
package import Raster

/// Draws the frames of a script with one caller, in any order, and computes the script's ground truth.
///
/// Frames depend only on the script and their index, so several threads may draw frames at once, and every run gives
/// the same bytes.
package struct PuppetDirector: Sendable {
    package let script: PuppetScript
    let appearance: SceneAppearance
    let left: HandTrack
    let right: HandTrack
    /// The room and the torso.
    private let backdrop: StillPicture
    private let figure: Figure?
    private let grain: Grain

    /// Lays out the call and draws the static parts.
    /// - Throws: ``PuppetError`` if the script requests something impossible.
    package init(script: PuppetScript) throws(PuppetError) {
        try script.validate()
        self.script = script
        appearance = SceneAppearance(script.scene)
        left = HandTrack(script: script, isRight: false)
        right = HandTrack(script: script, isRight: true)
        grain = Grain(seed: appearance.seed)
        let format = PictureFormat(width: script.width, height: script.height)
        figure = appearance.hasPerson ? Figure(width: script.width, height: script.height, appearance: appearance) : nil
        let room = Room(width: script.width, height: script.height, appearance: appearance).draw()
        let (torso, grain, strength) = (figure?.torso, grain, appearance.noise * 0.5)
        backdrop = StillPicture(format: format) { picture in
            room.composite(onto: &picture, grain: grain, strength: strength, frame: 0)
            torso?.composite(onto: &picture, grain: grain, strength: strength, frame: 1)
        }
    }

    /// The format of the pictures: 8-bit 4:2:0, BT.709, limited range.
    package var format: PictureFormat { backdrop.format }

    /// Draws a frame over the whole of a picture.
    /// - Precondition: `picture.format == format`.
    package func draw(frame: Int, into picture: inout MutablePicture) {
        precondition(picture.format == format)
        backdrop.copy(into: &picture)
        drawMovingParts(frame: frame, over: &picture)
    }

    /// Draws the person of a frame over a picture, without the room. The torso has no noise.
    /// - Precondition: `picture.format == format`.
    package func drawPerson(frame: Int, over picture: inout MutablePicture) {
        precondition(picture.format == format)
        figure?.torso.composite(onto: &picture, grain: nil, strength: 0, frame: frame)
        drawMovingParts(frame: frame, over: &picture)
    }

    private func drawMovingParts(frame: Int, over picture: inout MutablePicture) {
        let time = Double(frame) / script.rate
        for layer in figure?.head(at: time, seed: appearance.seed) ?? [] {
            layer.composite(onto: &picture, grain: nil, strength: 0, frame: frame)
        }
        for hand in hands(at: time) {
            let solids = HandSolids(state: hand, skin: appearance.skin, sleeve: appearance.clothes)
                .solids(shoulder: shoulder(isRight: hand.isRight))
            let renderer = SolidRenderer(
                solids: solids, lighting: appearance.lighting, occlusionReach: 0.26 * hand.palm)
            let frameBox = PictureRegion(left: 0, top: 0, right: format.width, bottom: format.height)
            guard let layer = renderer.render(within: frameBox) else { continue }
            layer.soften()
            layer.composite(onto: &picture, grain: grain, strength: appearance.noise, frame: frame)
        }
    }

    /// Returns the hands in the picture at a time.
    func hands(at time: Double) -> [HandState] {
        [right, left].compactMap { track in
            let phase = (track.isRight ? 1.7 : 0) + Double(appearance.seed % 64)
            let unit = Double(script.height)
            let sway = SIMD2<Float>(
                Float((sine(time * 1.9 + phase) + 0.5 * sine(time * 3.1 + phase)) * 0.0022 * unit),
                Float((sine(time * 2.3 + phase * 2) + 0.5 * sine(time * 3.7)) * 0.0022 * unit))
            return track.state(at: time, sway: sway, swayTurn: Float(1.2 * sine(time * 1.3 + phase)))
        }
    }

    /// Returns the place of the shoulder, in pixels; z is well behind the hands.
    private func shoulder(isRight: Bool) -> SIMD3<Float> {
        let unit = Float(script.height)
        let x = Float(script.width) * 0.5 + (isRight ? -1 : 1) * 0.31 * unit
        return [x, 0.87 * unit, -0.45 * unit]
    }
}
