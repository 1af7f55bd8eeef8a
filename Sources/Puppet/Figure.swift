/// The person: a torso that keeps still and a head that moves a little.
struct Figure: Sendable {
    let torso: Layer

    init(width: Int, height: Int, look: SceneLook) {
        let unit = Float(height)
        let cx = Float(width) * 0.5
        func cone(_ ax: Float, _ ay: Float, _ az: Float, _ bx: Float, _ by: Float, _ bz: Float, _ ra: Float, _ rb: Float, _ melt: Float, _ m: Material) -> RoundCone {
            RoundCone([cx + ax * unit, ay * unit, az * unit], [cx + bx * unit, by * unit, bz * unit], radii: (ra * unit, rb * unit), melt: melt * unit, material: m)
        }
        let c = look.clothes
        let solids = [
            cone(0, 0.56, -0.02, 0, 0.70, -0.04, 0.085, 0.09, 0.05, look.skin),
            cone(-0.30, 0.84, -0.08, 0.30, 0.84, -0.08, 0.12, 0.12, 0.1, c),
            cone(0, 0.74, -0.06, 0, 0.95, -0.06, 0.12, 0.22, 0.12, c),
            cone(-0.14, 0.95, -0.05, -0.16, 1.3, -0.05, 0.22, 0.22, 0.12, c),
            cone(0.14, 0.95, -0.05, 0.16, 1.3, -0.05, 0.22, 0.22, 0.12, c),
            cone(-0.335, 0.86, -0.08, -0.40, 1.3, -0.05, 0.12, 0.11, 0.06, c),
            cone(0.335, 0.86, -0.08, 0.40, 1.3, -0.05, 0.12, 0.11, 0.06, c),
            cone(0, 0.28, 0, 0, 0.34, 0.02, 0.155, 0.15, 0.05, look.skin),
            cone(0, 0.34, 0.02, 0, 0.44, 0.04, 0.13, 0.085, 0.08, look.skin),
        ]
        let frame = PixelBox(left: 0, top: 0, right: width, bottom: height)
        torso = SolidRenderer(solids: solids, lighting: look.lighting, occlusionReach: 0.05 * unit)
            .render(within: frame) ?? Layer(box: PixelBox(left: 0, top: 0, right: 0, bottom: 0))
        torso.soften()
    }

    func head(at time: Double, seed: UInt32) -> [Layer] { [] }
}
