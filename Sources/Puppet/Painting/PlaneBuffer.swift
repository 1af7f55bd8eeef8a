package import Raster

/// An 8-bit planar picture that owns its memory.
@safe
package final class PlaneBuffer {
    package let format: PictureFormat
    private let memory: UnsafeMutableRawPointer
    private let size: Int

    /// - Precondition: `format.bitDepth == 8`.
    package init(format: PictureFormat) {
        precondition(format.bitDepth == 8)
        self.format = format
        size = Plane.allCases.reduce(0) { $0 + format.width(of: $1) * format.height(of: $1) }
        unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 128, count: size)
    }

    deinit { unsafe memory.deallocate() }

    private func offset(of plane: Plane) -> Int {
        Plane.allCases.prefix(plane.rawValue).reduce(0) { $0 + format.width(of: $1) * format.height(of: $1) }
    }

    /// Lends the picture to draw on.
    package func withPicture<R, E: Error>(
        _ body: (inout MutablePicture) throws(E) -> R
    ) throws(E) -> R {
        let planes: InlineArray<3, PlaneMemory> = unsafe [
            PlaneMemory(address: memory + offset(of: .luma), stride: format.width(of: .luma)),
            PlaneMemory(address: memory + offset(of: .cb), stride: format.width(of: .cb)),
            PlaneMemory(address: memory + offset(of: .cr), stride: format.width(of: .cr)),
        ]
        var picture = unsafe MutablePicture(unsafeFormat: format, planes: planes)
        return try body(&picture)
    }

    /// Copies of the planes, rows without padding.
    package func planes() -> [[UInt8]] {
        Plane.allCases.map { plane in
            let bytes = unsafe UnsafeRawBufferPointer(
                start: memory + offset(of: plane), count: format.width(of: plane) * format.height(of: plane))
            return unsafe [UInt8](bytes)
        }
    }
}
