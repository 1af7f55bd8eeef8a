/// A line of text that FFmpeg draws.
struct GalleryText: Sendable {
    enum Font: String, Sendable { case regular, bold, mono }

    var text: String
    var x: Int
    /// The top of the line.
    var y: Int
    var size: Int
    var colour: GalleryColour
    var font = Font.regular
    /// The text is centred at `x` and `y`.
    var isCentred = false

    /// The approximate width of a line in DejaVu Sans.
    static func width(of text: String, size: Int) -> Int { Int(Double(text.count * size) * 0.6) }
}

/// Paints all parts of a composite that are no video: one picture for each interval in which they stay the same.
struct GalleryPainter: Sendable {
    let plan: GalleryPlan

    struct Picture: Sendable {
        var from: Double
        var until: Double
        var canvas: GalleryCanvas
        var texts: [GalleryText]
    }

    func pictures(of index: Int) -> [Picture] {
        let layout = plan.layouts[index]
        var times = [layout.from, layout.until]
        times += plan.turns.flatMap { [$0.from, $0.until] }
        times += plan.participants.compactMap(\.gesture).flatMap { [$0.from, $0.until] }
        if layout.content != nil { times.append(plan.screen.changeAt) }
        let bounds = Array(Set(times.filter { $0 >= layout.from && $0 <= layout.until })).sorted()
        return zip(bounds, bounds.dropFirst()).filter { $1 - $0 > 1e-6 }.map { paint(layout, from: $0, until: $1) }
    }

    private func paint(_ layout: GalleryPlan.Layout, from: Double, until: Double) -> Picture {
        let style = plan.style
        let middle = (from + until) / 2
        let speaker = plan.turns.first { $0.from <= middle && middle < $0.until }?.participant
        var canvas = GalleryCanvas(width: plan.width, height: plan.height, colour: style.background)
        var texts: [GalleryText] = []
        let whole = GalleryRect(x: 0, y: 0, width: plan.width, height: plan.height)
        plan.browser?.paint(on: &canvas, &texts, whole, style)
        if let content = layout.content {
            plan.screen.paint(in: content, hasChanged: middle >= plan.screen.changeAt, on: &canvas, &texts)
        }
        for tile in layout.tiles {
            let participant = plan.participants[tile.participant]
            let isSpeaking = tile.participant == speaker
            if isSpeaking, style.frame == .outside {
                canvas.fill(
                    tile.visible.inset(by: -style.frameWidth), style.frameColour,
                    radius: style.radius == 0 ? 0 : style.radius + style.frameWidth)
            }
            paint(tile, participant, at: middle, on: &canvas, &texts)
            if isSpeaking, style.frame == .over {
                canvas.stroke(tile.visible, style.frameColour, radius: style.radius, width: style.frameWidth)
            }
            if let box = Self.labelBox(participant, in: tile.visible, style) {
                canvas.fill(
                    box, GalleryColour(0x101010), radius: min(style.radius, box.height / 4),
                    opacity: style.labelOpacity)
                texts.append(
                    GalleryText(
                        text: participant.name, x: box.x + box.height / 4, y: box.y + box.height / 5,
                        size: box.height * 3 / 5, colour: GalleryColour(0xf4f4f4)))
            }
        }
        return Picture(from: from, until: until, canvas: canvas, texts: texts)
    }

    /// The tile itself: a hole where the video is, or a disc with initials.
    private func paint(
        _ tile: GalleryPlan.Tile, _ participant: GalleryPlan.Participant, at time: Double,
        on canvas: inout GalleryCanvas, _ texts: inout [GalleryText]
    ) {
        let style = plan.style
        guard participant.isFilmed(at: time) else {
            canvas.fill(tile.visible, style.avatarFill, radius: style.radius)
            let radius = min(tile.visible.width, tile.visible.height) / 4
            let middle = (x: tile.visible.x + tile.visible.width / 2, y: tile.visible.y + tile.visible.height / 2)
            canvas.fillDisc(x: middle.x, y: middle.y, radius: radius, participant.disc)
            texts.append(
                GalleryText(
                    text: participant.initials, x: middle.x, y: middle.y, size: radius,
                    colour: GalleryColour(0xffffff), isCentred: true))
            return
        }
        if tile.visible == tile.picture {
            canvas.clear(tile.picture, radius: style.radius)
            return
        }
        canvas.fill(tile.visible, style.bars ?? style.avatarFill, radius: style.radius)
        let isInside = tile.picture.x - tile.cell.x >= style.radius || tile.picture.y - tile.cell.y >= style.radius
        canvas.clear(tile.picture, radius: isInside ? 0 : style.radius)
    }

    /// The box of a participant's name at the bottom left of a tile; absent where it has no room.
    static func labelBox(
        _ participant: GalleryPlan.Participant, in tile: GalleryRect, _ style: GalleryStyle
    ) -> GalleryRect? {
        guard style.labels else { return nil }
        let height = max(14, min(44, Int(Double(tile.height) * style.labelScale)))
        let gap = max(2, height / 4)
        let width = GalleryText.width(of: participant.name, size: height * 3 / 5) + height / 2
        guard width < tile.width - 2 * gap else { return nil }
        return GalleryRect(x: tile.x + gap, y: tile.bottom - gap - height, width: width, height: height)
    }
}

extension GalleryPlan.Participant {
    /// True if the camera is on.
    func isFilmed(at time: Double) -> Bool {
        guard !isAvatar else { return false }
        guard let gesture else { return true }
        return time >= gesture.from && time < gesture.until
    }
}
