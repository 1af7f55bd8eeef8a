import Raster

/// One view of a gallery (a layout of its tiles), ready to be drawn: a static backdrop, and the callers whose pictures
/// change. A stage is immutable, so several threads may draw frames at once.
struct GalleryStage: Sendable {
    let seats: [GallerySeat]
    private let backdrop: StillPicture
    /// The rounded corners and the name of each tile, which are drawn over its picture.
    private let overlays: [Layer]

    init(view: PuppetView, of gallery: PuppetGallery) throws(PuppetError) {
        var seats: [GallerySeat] = []
        for (name, tile) in zip(view.callers, gallery.tiles(of: view)) {
            guard let index = gallery.callers.firstIndex(where: { $0.name == name }) else { continue }
            seats.append(try GallerySeat(id: index + 1, caller: gallery.callers[index], tile: tile, of: gallery))
        }
        self.seats = seats
        let background = Colour(hex: gallery.background) ?? Colour(0.125, 0.129, 0.141)
        overlays = seats.map { Self.overlay(of: $0, background, gallery) }
        let whole = Layer(box: PictureRegion(left: 0, top: 0, right: gallery.width, bottom: gallery.height))
        let painter = Painter(layer: whole, unit: 1)
        painter.fill(painter.everything) { _, _ in (background, 1) }
        for seat in seats where !seat.caller.isFilmed { Self.paintAvatar(seat, with: painter) }
        backdrop = StillPicture(format: PictureFormat(width: gallery.width, height: gallery.height)) { picture in
            whole.composite(onto: &picture, grain: nil, strength: 0, frame: 0)
        }
    }

    func draw(frame: Int, into picture: inout MutablePicture) {
        backdrop.copy(into: &picture)
        for (seat, overlay) in zip(seats, overlays) {
            if let director = seat.director {
                StillPicture(format: director.format) { director.draw(frame: frame, into: &$0) }
                    .copy(seat.crop.box, into: &picture, atX: seat.tile.x, y: seat.tile.y)
            }
            overlay.composite(onto: &picture, grain: nil, strength: 0, frame: 0)
        }
    }

    /// Returns the distance in pixels of a place from a rectangle with rounded corners; negative inside the rectangle.
    static func distance(_ x: Float, _ y: Float, from box: PictureRegion, corner: Float) -> Float {
        let half = SIMD2<Float>(Float(box.width), Float(box.height)) / 2
        let radius = min(corner, half.x, half.y)
        let across = abs(x - Float(box.left) - half.x) - half.x + radius
        let down = abs(y - Float(box.top) - half.y) - half.y + radius
        let outside = SIMD2<Float>(max(0, across), max(0, down))
        return (outside * outside).sum().squareRoot() + min(0, max(across, down)) - radius
    }

    private static func overlay(of seat: GallerySeat, _ background: Colour, _ gallery: PuppetGallery) -> Layer {
        let layer = Layer(box: seat.tile.box)
        let painter = Painter(layer: layer, unit: 1)
        let corner = Float(gallery.corner ?? 12)
        if corner > 0 {
            painter.fill(painter.everything) { x, y in
                (background, painter.cover(-distance(x, y, from: seat.tile.box, corner: corner)))
            }
        }
        guard let box = gallery.labelBox(of: seat.caller, in: seat.tile) else { return layer }
        let height = Float(box.height)
        painter.rectangle(
            Float(box.x), Float(box.y), Float(box.x + box.width), Float(box.y + box.height), corner: height * 0.2,
            opacity: 0.6
        ) { _, _ in Colour(0.05, 0.05, 0.06) }
        Lettering.draw(
            seat.caller.name, left: Float(box.x) + height / 2, top: Float(box.y) + height / 4, height: height / 2,
            colour: Colour(0.95, 0.95, 0.95), with: painter)
        return layer
    }

    private static func paintAvatar(_ seat: GallerySeat, with painter: Painter) {
        let box = seat.tile.box
        let fill = Painter.Area(
            left: Float(box.left + 1), top: Float(box.top + 1), right: Float(box.right - 1),
            bottom: Float(box.bottom - 1))
        painter.fill(fill) { _, _ in (Colour(0.24, 0.25, 0.26), 1) }
        let discs = [
            Colour(0.10, 0.45, 0.91), Colour(0.09, 0.50, 0.22), Colour(0.76, 0.35, 0.10), Colour(0.48, 0.25, 0.64),
        ]
        let disc = discs[seat.id % discs.count]
        let centre = SIMD2<Float>(Float(box.left + box.right), Float(box.top + box.bottom)) / 2
        let radius = Float(min(box.width, box.height)) / 4
        painter.rectangle(
            centre.x - radius, centre.y - radius, centre.x + radius, centre.y + radius, corner: radius
        ) { _, _ in disc }
        let height = radius * 0.7
        Lettering.draw(
            seat.caller.initials, left: centre.x - Lettering.width(of: seat.caller.initials, height: height) / 2,
            top: centre.y - height / 2, height: height, colour: Colour(1, 1, 1), with: painter)
    }
}

/// Draws capitals and digits made of straight strokes, for names and initials in a gallery.
enum Lettering {
    /// The strokes of each character: points on a grid of 5 columns and 7 rows, each as its column and row.
    private static let strokes: [Character: String] = [
        "A": "06 20 46,14 34", "B": "00 06 36 45 44 33 03,00 30 41 42 33", "C": "41 30 10 01 05 16 36 45",
        "D": "00 06 26 44 42 20 00", "E": "40 00 06 46,03 33", "F": "40 00 06,03 33",
        "G": "41 30 10 01 05 16 36 45 43 23", "H": "00 06,40 46,03 43", "I": "20 26", "J": "40 45 36 16 05",
        "K": "00 06,40 03 46", "L": "00 06 46", "M": "06 00 23 40 46", "N": "06 00 46 40",
        "O": "10 30 41 45 36 16 05 01 10", "P": "06 00 30 41 42 33 03", "Q": "10 30 41 45 36 16 05 01 10,34 46",
        "R": "06 00 30 41 42 33 03,23 46", "S": "41 30 10 01 02 13 33 44 45 36 16 05", "T": "00 40,20 26",
        "U": "00 05 16 36 45 40", "V": "00 26 40", "W": "00 16 23 36 40", "X": "00 46,40 06", "Y": "00 23 40,23 26",
        "Z": "00 40 06 46", "0": "10 30 41 45 36 16 05 01 10", "1": "11 20 26", "2": "01 10 30 41 42 06 46",
        "3": "00 40 23 33 44 45 36 16 05", "4": "36 30 04 44", "5": "40 00 03 33 44 45 36 16 05",
        "6": "40 10 01 05 16 36 45 44 33 03", "7": "00 40 16", "8": "13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33",
        "9": "43 13 02 01 10 30 41 45 36 16", "-": "13 33", ".": "26 26",
    ]

    /// Returns the width of a line of letters of a height.
    static func width(of text: String, height: Float) -> Float { Float(text.count * 6 - 2) * height / 6 }

    /// Draws a line of letters. Other characters leave a gap.
    ///
    /// - Parameters:
    ///   - left: the left edge, in the painter's units.
    ///   - top: the top of the capitals.
    static func draw(
        _ text: String, left: Float, top: Float, height: Float, colour: Colour, with painter: Painter
    ) {
        let cell = height / 6
        let half = height * 0.07
        for (index, character) in text.uppercased().enumerated() {
            let origin = left + Float(index) * 6 * cell
            let lines = (strokes[character] ?? "").split(separator: ",").map { line in
                line.split(separator: " ").compactMap { Int($0) }.map { point in
                    SIMD2<Float>(origin + Float(point / 10) * cell, top + Float(point % 10) * cell)
                }
            }
            guard !lines.isEmpty else { continue }
            let area = Painter.Area(
                left: origin - half, top: top - half, right: origin + 4 * cell + half, bottom: top + height + half)
            painter.fill(area) { x, y in
                let nearest = lines.flatMap { zip($0, $0.dropFirst()) }
                    .map { distance(from: [x, y], toSegment: $0, $1) }.min()
                return (colour, nearest.map { painter.cover($0 - half) } ?? 0)
            }
        }
    }

    private static func distance(from point: SIMD2<Float>, toSegment start: SIMD2<Float>, _ end: SIMD2<Float>) -> Float
    {
        let along = end - start
        let square = (along * along).sum()
        let share = square > 0 ? clamp(((point - start) * along).sum() / square, 0, 1) : 0
        let offset = point - start - along * share
        return (offset * offset).sum().squareRoot()
    }
}
