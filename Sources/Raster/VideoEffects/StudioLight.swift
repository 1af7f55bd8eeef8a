internal import CRaster
import Platform

/// Lights faces and darkens the background, as lamps of a studio do.
///
/// Each face gets a soft light that falls off around it. How much depends on how dark a face is beside its background,
/// not on how dark it is by itself, so every skin keeps its own tone. Black stays black and white stays white, so nothing
/// is clipped. Places and amounts follow the faces slowly.
///
/// Used by one thread at a time.
package final class StudioLight {
    /// A light that follows a face.
    private struct Lamp {
        var at: LampPlace
        /// The place of the face as it was last detected.
        var goal: LampPlace
        /// The amount, 0…1: it rises when the face appears, and falls after it disappeared.
        var level: Double
        var isSeen = true
    }

    private let format: PictureFormat
    /// The change of people's luma and of the room's.
    private let people, room: GridPlane
    private let persons: GridPlane
    private var lamps: [Lamp] = []
    /// The stops by which the background is brighter than the faces; `nil` before the first face.
    private var backlight: Double?
    private var lastTime: Double?

    /// The changes at full strength: of a face, of a face before a bright background in addition, of the rest of a
    /// person, and of the room.
    private static let changes = (face: 0.55, backlit: 0.4, body: 0.12, room: -0.75)
    /// The share of the change of people's saturation.
    private static let colourShare: Float = 0.55
    /// The time constants in seconds: of a lamp's place, of its level, and of the backlight.
    private static let times = (place: 0.25, level: 0.35, backlight: 1.2)
    /// The seconds after which the former state is invalid.
    private static let memory = 0.5

    package init(_ matte: PictureMatte) {
        let grid = matte.grid
        format = grid.format
        people = GridPlane(count: grid.count)
        room = GridPlane(count: grid.count)
        persons = GridPlane(count: grid.count)
    }

    /// Follows the faces to a picture.
    /// - Parameters:
    ///   - faces: The faces detected in this picture, in fractions of the upright picture; `nil` if none were looked for.
    ///   - time: The picture's time stamp in seconds.
    ///   - matte: The matte of this picture.
    package func follow(_ faces: [Rectangle]?, at time: Double, geometry: DisplayGeometry, matte: PictureMatte) {
        let elapsed = lastTime.map { time - $0 } ?? -1
        let isContinued = elapsed >= 0 && elapsed <= Self.memory
        if !isContinued { (lamps, backlight) = ([], nil) }
        lastTime = time
        if let faces {
            match(faces.map { LampPlace($0, geometry, cell: matte.grid.factor) }, level: isContinued ? 0 : 1)
        }
        let step = isContinued ? 1 - exp(-elapsed / Self.times.level) : 1
        let pace = isContinued ? 1 - exp(-elapsed / Self.times.place) : 1
        for index in lamps.indices {
            lamps[index].level += ((lamps[index].isSeen ? 1 : 0) - lamps[index].level) * step
            lamps[index].at.move(to: lamps[index].goal, by: pace)
        }
        lamps.removeAll { !$0.isSeen && $0.level < 0.01 }
        matte.average(into: persons)
        measureBacklight(elapsed: isContinued ? elapsed : nil, matte)
    }

    /// Gives each lamp the face nearest to it, and adds lamps for new faces.
    private func match(_ found: [LampPlace], level: Double) {
        var rest = found
        for index in lamps.indices {
            let goal = lamps[index].goal
            let near = rest.indices.min { rest[$0].distance(to: goal) < rest[$1].distance(to: goal) }
            lamps[index].isSeen = false
            guard let near, rest[near].distance(to: goal) < max(goal.width, goal.height) else { continue }
            lamps[index].goal = rest.remove(at: near)
            lamps[index].isSeen = true
        }
        lamps += rest.map { Lamp(at: $0, goal: $0, level: level) }
    }

    /// Measures by how many stops the room is brighter than the faces.
    private func measureBacklight(elapsed: Double?, _ matte: PictureMatte) {
        let grid = matte.grid
        var face = (sum: 0.0, weight: 0.0), room = (sum: 0.0, weight: 0.0)
        for row in stride(from: 0, to: grid.rows, by: 2) {
            for column in stride(from: 0, to: grid.columns, by: 2) {
                let index = row * grid.columns + column
                let person = Double(persons[index]), luma = Double(grid.luma[index])
                room.sum += (1 - person) * luma
                room.weight += 1 - person
                guard person > 0.5 else { continue }
                for lamp in lamps where lamp.at.covers(Double(column), Double(row)) {
                    face.sum += lamp.level * luma
                    face.weight += lamp.level
                }
            }
        }
        guard face.weight > 1, room.weight > 1 else { return }
        let ratio = max(room.sum / room.weight, 0.02) / max(face.sum / face.weight, 0.02)
        let stops = 2.2 * log2(ratio)
        let step = elapsed.map { 1 - exp(-$0 / Self.times.backlight) } ?? 1
        backlight = backlight.map { $0 + (stops - $0) * step } ?? stops
    }

    /// Draws the light on a picture.
    /// - Parameters:
    ///   - strength: 0…1.
    ///   - matte: The matte of this picture.
    package func draw(_ strength: Double, on picture: inout MutablePicture, matte: PictureMatte) {
        precondition(matte.fits(picture.format) && matte.fits(format))
        fill(strength, matte.grid)
        // The colours are first, because their change depends on the luma before it.
        for plane in [Plane.cb, .cr] { tint(plane, of: &picture, matte: matte) }
        light(&picture, matte: matte)
        matte.grid.pictureChanged()
    }

    /// Fills in the changes of luma.
    private func fill(_ strength: Double, _ grid: PictureGrid) {
        let backlit = max(0, min(1, ((backlight ?? 0) + 0.5) / 3))
        let face = strength * (Self.changes.face + Self.changes.backlit * backlit)
        let body = strength * Self.changes.body * (lamps.map(\.level).max() ?? 0)
        let dark = Float(strength * Self.changes.room)
        for index in 0..<grid.count {
            people[index] = Float(body)
            room[index] = dark
        }
        for lamp in lamps where lamp.level > 0 {
            let columns = lamp.at.columns.clamped(to: 0..<grid.columns), rows = lamp.at.rows.clamped(to: 0..<grid.rows)
            for row in rows {
                for column in columns {
                    let light = lamp.level * lamp.at.falloff(Double(column), Double(row))
                    let index = row * grid.columns + column
                    people[index] = max(people[index], Float(body + (face - body) * light))
                }
            }
        }
    }

    private func light(_ picture: inout MutablePicture, matte: PictureMatte) {
        let grid = matte.grid
        let (scale, offset) = grid.scaling(of: .luma)
        unsafe matte.withShape(of: .luma) { samples, _ in
            unsafe craster_light(
                picture.kernelPlane(.luma), samples, people.values(grid.count), room.values(grid.count), grid.shape,
                grid.factor, scale, offset, grid.scratch.values(grid.scratch.count))
        }
    }

    private func tint(_ plane: Plane, of picture: inout MutablePicture, matte: PictureMatte) {
        let grid = matte.grid
        let (scale, offset) = grid.scaling(of: .luma)
        unsafe matte.withShape(of: plane) { samples, shape in
            unsafe craster_tint(
                picture.kernelPlane(plane), picture.kernelPlane(.luma), samples, shape, people.values(grid.count),
                room.values(grid.count), grid.shape, grid.cell(of: plane), scale, offset, Self.colourShare,
                Float(1 << (format.bitDepth - 1)), grid.scratch.values(grid.scratch.count))
        }
    }
}

/// The place of a face, in cells of a grid.
private struct LampPlace {
    private(set) var x, y, width, height: Double

    /// The distance from a face's middle at which its light ends, in the face's widths and heights.
    private static let reach = 1.15

    init(_ face: Rectangle, _ geometry: DisplayGeometry, cell: Int) {
        let first = geometry.uprightToStored.apply(
            x: face.left * geometry.uprightWidth, y: face.top * geometry.uprightHeight)
        let last = geometry.uprightToStored.apply(
            x: face.right * geometry.uprightWidth, y: face.bottom * geometry.uprightHeight)
        let scale = 1 / Double(cell)
        (x, y) = ((first.x + last.x) / 2 * scale, (first.y + last.y) / 2 * scale)
        (width, height) = (max(abs(last.x - first.x) * scale, 1), max(abs(last.y - first.y) * scale, 1))
    }

    mutating func move(to goal: LampPlace, by share: Double) {
        x += (goal.x - x) * share
        y += (goal.y - y) * share
        width += (goal.width - width) * share
        height += (goal.height - height) * share
    }

    func distance(to other: LampPlace) -> Double {
        ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
    }

    var columns: Range<Int> { Self.range(x, width) }
    var rows: Range<Int> { Self.range(y, height) }

    private static func range(_ middle: Double, _ size: Double) -> Range<Int> {
        Int((middle - reach * size).rounded(.down))..<Int((middle + reach * size).rounded(.up))
    }

    /// Returns whether a cell is certainly part of the face.
    func covers(_ column: Double, _ row: Double) -> Bool { squared(column, row) < 0.16 }

    /// Returns the share of the light at a cell: 1 in the middle of the face, 0 from ``reach`` on.
    func falloff(_ column: Double, _ row: Double) -> Double {
        let distance = squared(column, row) / (Self.reach * Self.reach)
        guard distance < 1 else { return 0 }
        return (1 - distance) * (1 - distance)
    }

    private func squared(_ column: Double, _ row: Double) -> Double {
        let dx = (column + 0.5 - x) / width, dy = (row + 0.5 - y) / height
        return dx * dx + dy * dy
    }
}
