/// The person: a torso that keeps still and a head that moves a little.
///
/// Both are made of the same solids as the hands and drawn once; eyes, brows
/// and mouth are painted on layers of their own, one for each state.
struct Figure: Sendable {
    let torso: Layer
    private let head: Layer
    private let eyes: [Layer]
    private let mouths: [Layer]
    private let unit: Float

    init(width: Int, height: Int, look: SceneLook) {
        unit = Float(height)
        let parts = FigureParts(centre: Float(width) * 0.5, unit: unit, look: look)
        let frame = PixelBox(left: 0, top: 0, right: width, bottom: height)
        func render(_ solids: [RoundCone]) -> Layer {
            let renderer = SolidRenderer(
                solids: solids, lighting: look.lighting, occlusionReach: 0.05 * Float(height))
            let layer =
                renderer.render(within: frame)
                ?? Layer(box: PixelBox(left: 0, top: 0, right: 0, bottom: 0))
            layer.soften()
            return layer
        }
        torso = render(parts.torso)
        head = render(parts.head)
        let face = FacePainter(centre: Float(width) * 0.5, unit: unit, look: look)
        eyes = [0, 0.5, 1].map { face.eyes(closed: $0) }
        mouths = [0, 0.35, 0.7, 1].map { face.mouth(open: $0) }
    }

    /// The layers of the head at a time, moved as the person moves.
    func head(at time: Double, seed: UInt32) -> [Layer] {
        let phase = Double(seed % 97)
        let x = Float(sine(time * 0.9 + phase) + 0.6 * sine(time * 1.7 + phase)) * 0.0032 * unit
        let y = Float(sine(time * 1.3 + phase * 2) + 0.5 * sine(time * 2.9)) * 0.0022 * unit
        return [head, eyes[eyeState(at: time)], mouths[min(3, Int(PuppetVoice(seed: seed).openness(at: time) * 3.9))]]
            .map { $0.shifted(x: x, y: y) }
    }

    /// A blink about every three seconds: half closed, closed, half closed.
    private func eyeState(at time: Double) -> Int {
        let since = (time + 0.8 + 0.5 * sine(time * 0.21)).truncatingRemainder(dividingBy: 3.1)
        return since < 0.05 ? 1 : (since < 0.13 ? 2 : (since < 0.18 ? 1 : 0))
    }
}
