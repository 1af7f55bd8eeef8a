internal import CRaster
import Platform

/// Replaces the background of a picture by another picture.
///
/// Samples at the edge of a person contain some of the old background's colour. The colours of people and of the room
/// nearby give the person's own colour there, so that a white wall leaves no bright rim before a dark picture. If
/// requested, the light on people moves a little toward that of the new background.
///
/// Used by one thread at a time.
package final class PictureReplacement {
    private let format: PictureFormat
    /// The colours of people and of the room, each continued beyond its edge.
    private let peopleLuma, peopleCb, peopleCr: GridPlane
    private let roomLuma, roomCb, roomCr: GridPlane
    private let persons, weights: GridPlane
    /// The change of the light on people; `nil` before the first picture.
    private var light: GridColour?
    private var lastTime: Double?

    /// The radius within which colours are collected, as a share of the grid's width. It is applied twice.
    private static let reach = 0.01
    /// The shares of the difference between the new and the old background that people adopt.
    private static let adopted = (luma: 0.5, colour: 0.1)
    /// The greatest changes: of luma as a factor of y · (1 − y), and of colours.
    private static let limits = (luma: 0.2, colour: 0.012)
    /// The time constant with which light follows, in seconds.
    private static let lightTime = 1.5
    /// The seconds after which the former state is invalid.
    private static let memory = 0.5

    package init(_ matte: PictureMatte) {
        let grid = matte.grid
        format = grid.format
        peopleLuma = GridPlane(count: grid.count)
        peopleCb = GridPlane(count: grid.count)
        peopleCr = GridPlane(count: grid.count)
        roomLuma = GridPlane(count: grid.count)
        roomCb = GridPlane(count: grid.count)
        roomCr = GridPlane(count: grid.count)
        persons = GridPlane(count: grid.count)
        weights = GridPlane(count: grid.count)
    }

    /// Measures the colours of people and of the room in a picture.
    /// - Parameters:
    ///   - picture: The picture that the matte followed last. It may have been lit since.
    ///   - ground: The mean colour of the new background, whose light people adopt; `nil` if they keep their own.
    ///   - time: The picture's time stamp in seconds.
    package func follow(
        _ picture: borrowing Picture, toward ground: GridColour?, at time: Double, matte: PictureMatte
    ) {
        precondition(matte.fits(picture.format) && matte.fits(format))
        let grid = matte.grid, count = grid.count
        if !grid.isCurrent { grid.read(picture) }
        matte.average(into: persons)
        followLight(ground, at: time, grid)
        unsafe collect(
            isRoom: false, (peopleLuma.values(count), peopleCb.values(count), peopleCr.values(count)), grid)
        unsafe collect(isRoom: true, (roomLuma.values(count), roomCb.values(count), roomCr.values(count)), grid)
    }

    /// Draws the new background, and people before it.
    /// - Parameters:
    ///   - ground: The new background, in the format of the picture.
    ///   - picture: The picture that was followed last.
    package func draw(_ ground: borrowing Picture, on picture: inout MutablePicture, matte: PictureMatte) {
        precondition(matte.fits(picture.format) && matte.fits(ground.format) && matte.fits(format))
        let grid = matte.grid, count = grid.count
        let change = light ?? GridColour()
        let maximum = Float(1 << format.bitDepth) - 1
        for plane in Plane.allCases {
            let (scale, offset) = grid.scaling(of: plane)
            let (people, room, light) =
                switch plane {
                case .luma:
                    unsafe (
                        peopleLuma.values(count), roomLuma.values(count),
                        CRasterShift(add: 0, gain: Float(change.luma), least: 0, most: 1)
                    )
                case .cb:
                    unsafe (
                        peopleCb.values(count), roomCb.values(count),
                        CRasterShift(add: Float(change.cb), gain: 0, least: -0.5, most: 0.5)
                    )
                case .cr:
                    unsafe (
                        peopleCr.values(count), roomCr.values(count),
                        CRasterShift(add: Float(change.cr), gain: 0, least: -0.5, most: 0.5)
                    )
                }
            unsafe matte.withShape(of: plane) { samples, shape in
                unsafe craster_compose(
                    picture.kernelPlane(plane), ground.kernelPlane(plane), samples, shape, people, room, grid.shape,
                    grid.cell(of: plane), light, scale, offset, maximum, grid.scratch.values(grid.scratch.count))
            }
        }
    }

    private typealias Planes = (
        luma: UnsafeMutablePointer<Float>, cb: UnsafeMutablePointer<Float>, cr: UnsafeMutablePointer<Float>
    )

    /// Collects the colours of one side near each cell.
    @unsafe private func collect(isRoom: Bool, _ target: Planes, _ grid: PictureGrid) {
        let count = grid.count, shape = grid.shape
        let scratch = unsafe grid.scratch.values(grid.scratch.count)
        let radius = max(1, Int((Self.reach * Double(grid.columns)).rounded()))
        unsafe craster_side_weights(weights.values(count), persons.values(count), shape, isRoom, scratch)
        unsafe craster_weigh(target.luma, grid.luma.values(count), weights.values(count), count)
        unsafe craster_weigh(target.cb, grid.cb.values(count), weights.values(count), count)
        unsafe craster_weigh(target.cr, grid.cr.values(count), weights.values(count), count)
        for _ in 0..<2 {
            unsafe craster_smooth(target.luma, shape, radius, scratch)
            unsafe craster_smooth(target.cb, shape, radius, scratch)
            unsafe craster_smooth(target.cr, shape, radius, scratch)
            unsafe craster_smooth(weights.values(count), shape, radius, scratch)
        }
        unsafe craster_divide(target.luma, weights.values(count), count)
        unsafe craster_divide(target.cb, weights.values(count), count)
        unsafe craster_divide(target.cr, weights.values(count), count)
    }

    /// Moves the light on people toward that of the new background, slowly and within limits.
    private func followLight(_ ground: GridColour?, at time: Double, _ grid: PictureGrid) {
        let elapsed = lastTime.map { time - $0 } ?? -1
        lastTime = time
        guard let ground, let room = meanOfRoom(grid) else {
            if ground == nil { light = nil }
            return
        }
        func limited(_ difference: Double, _ share: Double, _ limit: Double) -> Double {
            max(-limit, min(limit, difference * share))
        }
        let (shares, limits) = (Self.adopted, Self.limits)
        let goal = GridColour(
            luma: limited(ground.luma - room.luma, shares.luma, limits.luma),
            cb: limited(ground.cb - room.cb, shares.colour, limits.colour),
            cr: limited(ground.cr - room.cr, shares.colour, limits.colour))
        guard let former = light, elapsed >= 0, elapsed <= Self.memory else { return light = goal }
        let step = 1 - exp(-elapsed / Self.lightTime)
        light = GridColour(
            luma: former.luma + (goal.luma - former.luma) * step, cb: former.cb + (goal.cb - former.cb) * step,
            cr: former.cr + (goal.cr - former.cr) * step)
    }

    /// Returns the mean colour of the room; `nil` if hardly any of it is visible.
    private func meanOfRoom(_ grid: PictureGrid) -> GridColour? {
        var sum = GridColour(), weight = 0.0
        for row in stride(from: 0, to: grid.rows, by: 4) {
            for column in stride(from: 0, to: grid.columns, by: 4) {
                let index = row * grid.columns + column
                let share = Double(1 - persons[index])
                sum.luma += share * Double(grid.luma[index])
                sum.cb += share * Double(grid.cb[index])
                sum.cr += share * Double(grid.cr[index])
                weight += share
            }
        }
        guard weight > 0.02 * Double(grid.count) / 16 else { return nil }
        return GridColour(luma: sum.luma / weight, cb: sum.cb / weight, cr: sum.cr / weight)
    }
}

/// A colour as Y′CbCr: luma 0…1, and colours −0.5…0.5.
package struct GridColour: Sendable, Hashable {
    var luma = 0.0, cb = 0.0, cr = 0.0

    init(luma: Double = 0, cb: Double = 0, cr: Double = 0) { (self.luma, self.cb, self.cr) = (luma, cb, cr) }

    /// The mean colour of a picture, from one of 256 samples.
    package init(meanOf picture: borrowing Picture) {
        let codes = CodeRange(picture.format)
        luma = (Self.mean(.luma, picture) - codes.black) / codes.luma
        cb = (Self.mean(.cb, picture) - codes.neutral) / codes.chroma
        cr = (Self.mean(.cr, picture) - codes.neutral) / codes.chroma
    }

    private static func mean(_ plane: Plane, _ picture: borrowing Picture) -> Double {
        let (width, height) = (picture.format.width(of: plane), picture.format.height(of: plane))
        func mean<T: BinaryInteger>(_ samples: Span<T>, _ stride: Int) -> Double {
            var sum = 0, count = 0
            for y in Swift.stride(from: min(8, height - 1), to: height, by: 16) {
                for x in Swift.stride(from: min(8, width - 1), to: width, by: 16) {
                    sum += Int(samples[y * stride + x])
                    count += 1
                }
            }
            return Double(sum) / Double(count)
        }
        return picture.format.bitDepth > 8
            ? picture.with16BitPlane(plane) { mean($0, $1) } : picture.with8BitPlane(plane) { mean($0, $1) }
    }
}

extension PictureFormat {
    /// Returns the samples of a colour, given as R′G′B′ of a standard picture, 0…1 (ITU-T H.273, 8.3).
    package func samples(red: Double, green: Double, blue: Double) -> (luma: Int, cb: Int, cr: Int) {
        let encoding = ColourEncoding(self), codes = CodeRange(self)
        let shares = encoding.encode(red: red, green: green, blue: blue)
        let (r, g, b) = (shares.red * encoding.white, shares.green * encoding.white, shares.blue * encoding.white)
        let y = matrix.kr * r + (1 - matrix.kr - matrix.kb) * g + matrix.kb * b
        let cb = (b - y) / (2 * (1 - matrix.kb)), cr = (r - y) / (2 * (1 - matrix.kr))
        func code(_ value: Double, _ span: Double, _ zero: Double) -> Int {
            max(0, min(1 << bitDepth - 1, Int((value * span + zero).rounded())))
        }
        return (
            code(y, codes.luma, codes.black), code(cb, codes.chroma, codes.neutral),
            code(cr, codes.chroma, codes.neutral)
        )
    }
}
