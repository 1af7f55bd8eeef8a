internal import CRaster

/// The cells in which video effects compute: blocks of a picture's pixels. ``PictureMatte`` owns it.
///
/// The picture's colours are averaged over each cell. The side of a cell is 2, 4, 8 or 16 pixels, so that the shorter
/// side of the picture has some 150 to 300 cells.
final class PictureGrid {
    let format: PictureFormat
    /// The side of a cell in pixels.
    let factor: Int
    let columns, rows: Int
    var count: Int { columns * rows }
    /// The picture's Y′CbCr: luma 0…1, colours −0.5…0.5.
    let luma, cb, cr: GridPlane
    let scratch: GridPlane
    /// False once the picture was drawn on after it was read.
    private(set) var isCurrent = false

    /// The maximum number of cells along the shorter side of a picture.
    private static let most = 300

    init(_ format: PictureFormat) {
        self.format = format
        var factor = 2
        while factor < 16, min(format.width, format.height) > Self.most * factor { factor *= 2 }
        self.factor = factor
        columns = (format.width + factor - 1) / factor
        rows = (format.height + factor - 1) / factor
        luma = GridPlane(count: columns * rows)
        cb = GridPlane(count: columns * rows)
        cr = GridPlane(count: columns * rows)
        let shape = CRasterGrid(width: columns, height: rows)
        scratch = GridPlane(count: max(craster_scratch(shape, format.width), 18 * columns * rows + 4 * columns + 256))
    }

    var shape: CRasterGrid { CRasterGrid(width: columns, height: rows) }

    /// Returns the samples of a plane in a cell.
    func cell(of plane: Plane) -> CRasterCell {
        if plane == .luma { return CRasterCell(across: factor, down: factor) }
        return CRasterCell(across: factor >> format.chroma.shiftX, down: factor >> format.chroma.shiftY)
    }

    /// Returns the scale and the offset that turn samples of a plane into values of the grid.
    func scaling(of plane: Plane) -> (scale: Float, offset: Float) {
        let codes = CodeRange(format)
        let (span, zero) = plane == .luma ? (codes.luma, codes.black) : (codes.chroma, codes.neutral)
        return (Float(1 / span), Float(-zero / span))
    }

    /// Averages a picture.
    func read(_ picture: borrowing Picture) {
        precondition(picture.format.width == format.width && picture.format.height == format.height)
        for plane in Plane.allCases {
            let (scale, offset) = scaling(of: plane)
            unsafe craster_means(
                target(plane), shape, picture.kernelPlane(plane), cell(of: plane), scale, offset,
                scratch.values(scratch.count))
        }
        isCurrent = true
    }

    /// Notes that the picture was drawn on.
    func pictureChanged() { isCurrent = false }

    @unsafe private func target(_ plane: Plane) -> UnsafeMutablePointer<Float> {
        switch plane {
        case .luma: unsafe luma.values(count)
        case .cb: unsafe cb.values(count)
        case .cr: unsafe cr.values(count)
        }
    }
}

/// The memory of floats for the kernels of video effects: a value for each cell of a ``PictureGrid``, or scratch memory.
/// It has a fixed size, and is used by one thread at a time.
@safe
struct GridPlane: ~Copyable {
    private let base: UnsafeMutablePointer<Float>
    let count: Int

    init(count: Int) {
        unsafe base = .allocate(capacity: max(count, 1))
        unsafe base.initialize(repeating: 0, count: count)
        self.count = count
    }

    deinit { unsafe base.deallocate() }

    /// Returns the address of `length` values.
    /// - Precondition: The plane has that number of values.
    @inline(__always)
    @unsafe func values(_ length: Int) -> UnsafeMutablePointer<Float> {
        precondition(length >= 0 && length <= count)
        return unsafe base
    }

    subscript(index: Int) -> Float {
        get {
            precondition(index >= 0 && index < count)
            return unsafe base[index]
        }
        nonmutating set {
            precondition(index >= 0 && index < count)
            unsafe base[index] = newValue
        }
    }
}
