/// The room behind the person.
struct Room {
    let width: Int
    let height: Int
    let look: SceneLook

    func draw() -> Layer {
        let layer = Layer(box: PixelBox(left: 0, top: 0, right: width, bottom: height))
        let painter = Painter(layer: layer, unit: Float(height))
        let wall = look.wall
        painter.fill(painter.everything) { x, y in
            let fade = 1.02 - 0.22 * y - 0.08 * x
            return (wall.scaled(fade), 1)
        }
        return layer
    }
}
