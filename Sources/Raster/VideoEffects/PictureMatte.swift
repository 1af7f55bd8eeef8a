internal import CRaster
import Platform

/// The mask of the people in a video at the picture's own resolution, for video effects.
///
/// A coarse mask is aligned with the edges of each picture by a guided filter, whose guide are luma and colours. Where
/// the picture has not changed, the result moves slowly, so that edges at rest do not flicker.
///
/// Used by one thread at a time.
package final class PictureMatte {
    let grid: PictureGrid
    private let format: PictureFormat
    /// The coarse mask at the cells, 0…1.
    private let coarse: GridPlane
    private let slope, base: GridPlane
    /// The share of the difference to a new matte that a cell adopts.
    private let pace: GridPlane
    private let lastLuma: GridPlane
    /// The values of the matte, 0 (room) … 255 (person).
    package private(set) var samples: [UInt8]
    private var lastTime: Double?

    /// The radius of the filter's window, as a share of the grid's width.
    private static let reach = 0.025
    /// The variance of luma that counts as flat.
    private static let flatness: Float = 0.0002
    /// The weight of colours beside luma.
    private static let colourWeight: Float = 1.5
    /// The values of the filtered mask that become 0 and 255.
    private static let firmness: (room: Float, person: Float) = (0.32, 0.72)
    /// The time constant of a place at rest, in seconds.
    private static let restingTime: Float = 0.15
    /// The changes of luma up to which a change is noise, and from which it is motion.
    private static let motion: (none: Float, full: Float) = (0.008, 0.03)
    /// The seconds after which the former matte is invalid.
    private static let memory = 0.5

    package init(_ format: PictureFormat) {
        self.format = format
        grid = PictureGrid(format)
        coarse = GridPlane(count: grid.count)
        slope = GridPlane(count: grid.count)
        base = GridPlane(count: grid.count)
        pace = GridPlane(count: grid.count)
        lastLuma = GridPlane(count: grid.count)
        samples = [UInt8](repeating: 0, count: format.width * format.height)
    }

    /// Returns whether the matte fits pictures of a format.
    package func fits(_ format: PictureFormat) -> Bool { format == self.format }

    /// Adopts a coarse mask.
    /// - Parameters:
    ///   - values: `width · height` values, 0…1, of the upright picture.
    ///   - strength: The factor of all values, 0…1.
    package func adopt(_ values: [Float], width: Int, height: Int, strength: Float, geometry: DisplayGeometry) {
        precondition(values.count == width * height)
        let toMask = geometry.uprightToStored.inverse.then(
            .scale(x: Double(width) / geometry.uprightWidth, y: Double(height) / geometry.uprightHeight))
        let factor = Double(grid.factor)
        let origin = toMask.apply(x: factor / 2, y: factor / 2)
        let right = toMask.apply(x: factor * 1.5, y: factor / 2), down = toMask.apply(x: factor / 2, y: factor * 1.5)
        let map = CRasterMap(
            a: Float(right.x - origin.x), b: Float(right.y - origin.y), c: Float(down.x - origin.x),
            d: Float(down.y - origin.y), tx: Float(origin.x - 0.5), ty: Float(origin.y - 0.5))
        unsafe values.withUnsafeBufferPointer { values in
            unsafe craster_sample(
                coarse.values(grid.count), grid.shape, values.baseAddress!, width, height, map, strength)
        }
    }

    /// Computes the matte of a picture from the coarse mask.
    /// - Parameter time: The picture's time stamp in seconds.
    package func follow(_ picture: borrowing Picture, at time: Double) {
        precondition(fits(picture.format))
        grid.read(picture)
        let elapsed = lastTime.map { time - $0 } ?? -1
        measurePace(elapsed >= 0 && elapsed <= Self.memory ? Float(elapsed) : nil)
        lastTime = time
        let count = grid.count
        let radius = max(2, Int((Self.reach * Double(grid.columns)).rounded()))
        unsafe craster_guide(
            slope.values(count), base.values(count), grid.shape, coarse.values(count), grid.luma.values(count),
            grid.cb.values(count), grid.cr.values(count), radius, Self.flatness, Self.colourWeight,
            grid.scratch.values(grid.scratch.count))
        refine(picture)
    }

    /// Measures the share that each cell adopts: all where the picture moves, little where it rests.
    /// - Parameter elapsed: The seconds since the last picture; `nil` if there is no valid one.
    private func measurePace(_ elapsed: Float?) {
        let count = grid.count
        let resting = elapsed.map { 1 - exp(-$0 / Self.restingTime) } ?? 1
        let scale = 1 / (Self.motion.full - Self.motion.none)
        unsafe craster_pace(
            pace.values(count), lastLuma.values(count), grid.luma.values(count), grid.shape, resting, Self.motion.none,
            scale, grid.scratch.values(grid.scratch.count))
    }

    private func refine(_ picture: borrowing Picture) {
        let (scale, offset) = grid.scaling(of: .luma)
        let (low, high) = Self.firmness
        let count = grid.count
        unsafe samples.withUnsafeMutableBufferPointer { matte in
            unsafe craster_matte(
                matte.baseAddress!, picture.kernelPlane(.luma), grid.shape, grid.factor, slope.values(count),
                base.values(count), pace.values(count), low, high, scale, offset,
                grid.scratch.values(grid.scratch.count))
        }
    }

    /// Averages the matte over the cells, 0…1.
    func average(into values: borrowing GridPlane) {
        unsafe samples.withUnsafeMutableBufferPointer { samples in
            let plane = unsafe CRasterPlane(
                samples: samples.baseAddress, stride: format.width, width: format.width, height: format.height,
                is_deep: false)
            unsafe craster_means(
                values.values(grid.count), grid.shape, plane, CRasterCell(across: grid.factor, down: grid.factor),
                1 / 255, 0, grid.scratch.values(grid.scratch.count))
        }
    }

    /// Lends the matte to kernels for a plane of the picture.
    func withShape<R>(of plane: Plane, _ body: (UnsafePointer<UInt8>, CRasterMatteShape) -> R) -> R {
        let isLuma = plane == .luma
        let shape = CRasterMatteShape(
            stride: format.width, width: format.width, height: format.height,
            across: isLuma ? 1 : 1 << format.chroma.shiftX, down: isLuma ? 1 : 1 << format.chroma.shiftY)
        return unsafe samples.withUnsafeBufferPointer { unsafe body($0.baseAddress!, shape) }
    }
}
