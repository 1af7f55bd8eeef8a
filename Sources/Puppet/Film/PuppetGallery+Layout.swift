/// A rectangle of a gallery's picture, in pixels.
package struct PuppetTile: Sendable, Hashable, Codable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    var box: PixelBox { PixelBox(left: x, top: y, right: x + width, bottom: y + height) }
}

extension PuppetGallery {
    private var evenGutter: Int { ((gutter ?? 12) + 1) & ~1 }
    private var evenMargin: Int { ((margin ?? 24) + 1) & ~1 }

    /// Returns the tiles of a view's callers. All edges are even, so that no chroma sample belongs to two tiles.
    package func tiles(of view: PuppetView) -> [PuppetTile] {
        let area = PuppetTile(
            x: evenMargin, y: evenMargin, width: (width - 2 * evenMargin) & ~1, height: (height - 2 * evenMargin) & ~1)
        switch view.kind {
        case .grid: return grid(view.callers.count, in: area)
        case .speaker: return speaker(view.callers.count, strip: view.strip ?? .right, in: area)
        }
    }

    /// Returns rows of 16:9 tiles that are as large as possible; an incomplete last row is centred.
    private func grid(_ count: Int, in area: PuppetTile) -> [PuppetTile] {
        let candidates = (1...count).map { (columns: $0, size: size(columns: $0, of: count, in: area)) }
        let best = candidates.max { $0.size.width < $1.size.width } ?? candidates[0]
        let rows = (count + best.columns - 1) / best.columns
        let (tileWidth, tileHeight) = best.size
        let top = area.y + (area.height - rows * tileHeight - (rows - 1) * evenGutter) / 4 * 2
        return (0..<count).map { index in
            let row = index / best.columns
            let inRow = min(best.columns, count - row * best.columns)
            let left = area.x + (area.width - inRow * tileWidth - (inRow - 1) * evenGutter) / 4 * 2
            return PuppetTile(
                x: left + index % best.columns * (tileWidth + evenGutter), y: top + row * (tileHeight + evenGutter),
                width: tileWidth, height: tileHeight)
        }
    }

    private func size(columns: Int, of count: Int, in area: PuppetTile) -> (width: Int, height: Int) {
        let rows = (count + columns - 1) / columns
        let across = Double(area.width - (columns - 1) * evenGutter) / Double(columns)
        let down = Double(area.height - (rows - 1) * evenGutter) / Double(rows)
        let width = min(across, down * 16 / 9)
        return (max(0, Int(width)) & ~1, max(0, Int(width * 9 / 16)) & ~1)
    }

    /// Returns one large tile, and the others in a strip along one side, of a fifth of the picture at most.
    private func speaker(_ count: Int, strip: PuppetView.Side, in area: PuppetTile) -> [PuppetTile] {
        let others = count - 1
        guard others > 0 else { return [area] }
        let gaps = (others - 1) * evenGutter
        if strip == .right {
            let tileHeight = min(area.width / 5 * 9 / 16, (area.height - gaps) / others) & ~1
            let tileWidth = (tileHeight * 16 / 9) & ~1
            let top = area.y + (area.height - others * tileHeight - gaps) / 4 * 2
            let left = area.x + area.width - tileWidth
            let large = PuppetTile(
                x: area.x, y: area.y, width: area.width - tileWidth - evenGutter, height: area.height)
            return [large]
                + (0..<others).map {
                    PuppetTile(
                        x: left, y: top + $0 * (tileHeight + evenGutter), width: tileWidth, height: tileHeight)
                }
        }
        let tileWidth = min(area.height / 5 * 16 / 9, (area.width - gaps) / others) & ~1
        let tileHeight = (tileWidth * 9 / 16) & ~1
        let left = area.x + (area.width - others * tileWidth - gaps) / 4 * 2
        let isAbove = strip == .top
        let large = PuppetTile(
            x: area.x, y: isAbove ? area.y + tileHeight + evenGutter : area.y, width: area.width,
            height: area.height - tileHeight - evenGutter)
        let top = isAbove ? area.y : area.y + area.height - tileHeight
        return [large]
            + (0..<others).map {
                PuppetTile(x: left + $0 * (tileWidth + evenGutter), y: top, width: tileWidth, height: tileHeight)
            }
    }

    /// Returns the index of the view at a time.
    func viewIndex(at time: Double) -> Int { views.lastIndex { $0.time <= time + 1e-9 } ?? 0 }

    /// Returns the box of a caller's name, at the bottom left of a tile; nil if the name is not shown.
    func labelBox(of caller: PuppetCaller, in tile: PuppetTile) -> PuppetTile? {
        guard labels ?? true, !caller.name.isEmpty else { return nil }
        let boxHeight = max(12, min(tile.height / 11, height / 20))
        let gap = max(4, boxHeight / 3)
        let boxWidth = Int(Lettering.width(of: caller.name, height: Float(boxHeight) * 0.5)) + boxHeight
        guard boxWidth + 2 * gap <= tile.width else { return nil }
        return PuppetTile(
            x: tile.x + gap, y: tile.y + tile.height - gap - boxHeight, width: boxWidth, height: boxHeight)
    }
}
