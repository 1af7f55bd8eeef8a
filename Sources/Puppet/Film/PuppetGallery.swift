internal import FoundationEssentials
import Raster

/// The contents of a recorded call with several callers, as written in a JSON file.
///
///     {
///       "width": 1280, "height": 720, "rate": 30, "duration": 12,
///       "callers": [
///         { "name": "Ada", "scene": { "skin": "dark" }, "cues": [ { "time": 3, "pose": "thumbUp", "hands": "left", "hold": 1.5 } ] },
///         { "name": "Ben", "camera": false }
///       ],
///       "views": [
///         { "time": 0, "kind": "grid", "callers": ["Ada", "Ben"] },
///         { "time": 8, "kind": "speaker", "callers": ["Ada", "Ben"], "strip": "right" }
///       ]
///     }
///
/// The other fields are optional; docs/json.md explains all fields.
package struct PuppetGallery: Sendable, Hashable, Codable {
    /// The picture's size in (square) pixels.
    package var width: Int
    package var height: Int
    /// The frame rate in frames a second.
    package var rate: Double
    /// The duration in seconds.
    package var duration: Double
    package var callers: [PuppetCaller]
    package var views: [PuppetView]
    /// The colour between the tiles, as `#rrggbb`; dark grey if omitted.
    package var background: String?
    /// The distance between tiles in pixels, 12 if omitted; odd numbers are rounded up.
    package var gutter: Int?
    /// The margin around all tiles in pixels, 24 if omitted; odd numbers are rounded up.
    package var margin: Int?
    /// The radius of the tiles' corners in pixels, 12 if omitted.
    package var corner: Int?
    /// True if the tiles show names; true if omitted.
    package var labels: Bool?
    /// The changes of the active speaker, whose tile is marked; none if omitted.
    package var turns: [PuppetTurn]?
}

/// One caller of a gallery.
package struct PuppetCaller: Sendable, Hashable, Codable {
    package var name: String
    package var scene: PuppetScene?
    /// The magnification of the picture, 1…3, 1 if omitted: larger values show the caller nearer to the camera.
    package var zoom: Double?
    /// True if the camera is on (true if omitted); false shows initials.
    package var camera: Bool?
    /// The poses. Times are in seconds of the film, places in fractions of the caller's own picture.
    package var cues: [PuppetCue]?

    var isFilmed: Bool { camera ?? true }

    /// The initials that are shown for a caller whose camera is off.
    var initials: String { name.split(separator: " ").prefix(2).map { String($0.prefix(1)) }.joined() }
}

/// A layout of a gallery, which is shown until the next view starts.
package struct PuppetView: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable {
        /// Equal tiles.
        case grid
        /// One large tile, of the first caller, and a strip of small ones.
        case speaker
    }

    package enum Side: String, Sendable, Hashable, Codable { case right, top, bottom }

    /// The time in seconds at which the view starts.
    package var time: Double
    package var kind: Kind
    /// The names of the visible callers, in the order of the tiles.
    package var callers: [String]
    /// The side of the strip in a speaker view; the right side if omitted.
    package var strip: Side?
}

/// The start of an interval in which one caller is marked as speaking.
package struct PuppetTurn: Sendable, Hashable, Codable {
    package var time: Double
    /// The caller's name. If omitted, the mark is removed.
    package var caller: String?
}

extension PuppetGallery {
    /// Reads a gallery from a JSON file.
    /// - Returns: nil if the file is a script of one caller.
    /// - Throws: ``PuppetError`` of the codes `unreadableScript` and `invalidScript`.
    package init?(path: String) throws(PuppetError) {
        struct Key: Decodable { var callers: Ignored? }
        struct Ignored: Decodable { init(from decoder: any Decoder) throws {} }
        guard try PuppetScript.decode(Key.self, from: path).callers != nil else { return nil }
        self = try PuppetScript.decode(PuppetGallery.self, from: path)
    }

    /// The number of frames.
    package var frameCount: Int { Int((duration * rate).rounded()) }

    /// Validates everything that the layout relies on. The callers' own scripts are validated with the sizes of their
    /// pictures.
    func validate() throws(PuppetError) {
        func require(_ condition: Bool, _ message: String) throws(PuppetError) {
            if !condition { throw PuppetError(.invalidScript, message) }
        }
        try script.validate()
        for (name, value) in [("gutter", gutter), ("margin", margin), ("corner", corner)] {
            try require((0...1000).contains(value ?? 0), "\(name) must lie between 0 and 1000")
        }
        let names = Set(callers.map(\.name))
        try require(names.count == callers.count, "callers must have different names")
        for caller in callers {
            try require(
                (1...3).contains(caller.zoom ?? 1), "caller '\(caller.name)': zoom must lie between 1 and 3")
        }
        try require(views.first?.time == 0, "views: the first one must start at 0")
        for (view, next) in zip(views, views.dropFirst()) {
            try require(view.time < next.time && next.time.isFinite, "views must be in the order of time")
        }
        for view in views {
            try require(
                !view.callers.isEmpty && view.callers.count <= 64 && Set(view.callers).count == view.callers.count,
                "view at \(view.time) s: it must show 1…64 different callers")
            for name in view.callers {
                try require(names.contains(name), "view at \(view.time) s: there is no caller '\(name)'")
            }
            for tile in tiles(of: view) {
                try require(
                    tile.width >= 32 && tile.height >= 32,
                    "view at \(view.time) s: the tiles would be smaller than 32 pixels")
            }
        }
    }

    /// The film as a script of one caller with the poses of all callers. The script gives the film's size, rate,
    /// duration and times of poses, but is not drawn.
    var script: PuppetScript {
        PuppetScript(
            width: width, height: height, rate: rate, duration: duration, cues: callers.flatMap { $0.cues ?? [] })
    }
}

/// A rectangle of a gallery's picture, in pixels.
package struct PuppetTile: Sendable, Hashable, Codable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    var box: PictureRegion { PictureRegion(left: x, top: y, right: x + width, bottom: y + height) }
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
