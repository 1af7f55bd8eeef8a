internal import CRaster

/// A plane's address in memory, provided by the owner of a frame. Threads may share it if each thread writes to
/// different rows.
@unsafe
package struct PlaneMemory: @unchecked Sendable {
    package var address: UnsafeMutableRawPointer
    /// The bytes from one row to the next; never negative.
    package var stride: Int

    package init(address: UnsafeMutableRawPointer, stride: Int) {
        unsafe self.address = address
        unsafe self.stride = stride
    }
}

/// A read-only view of a planar Y′CbCr picture in memory of another owner.
///
/// A picture is lent to a closure and cannot outlive the closure. Because it is noncopyable and borrowed, it cannot be
/// stored.
@safe
package struct Picture: ~Copyable {
    package let format: PictureFormat
    @unsafe private let memory: InlineArray<3, PlaneMemory>

    /// - Precondition: Each plane consists of `height(of:)` rows of `stride` bytes (the last row may be shorter),
    ///   aligned to its samples, for the lifetime of this value.
    package init(unsafeFormat format: PictureFormat, planes: InlineArray<3, PlaneMemory>) {
        self.format = format
        unsafe memory = unsafe planes
    }

    /// Returns the distance in bytes between the rows of a plane.
    package func stride(of plane: Plane) -> Int { unsafe memory[plane.rawValue].stride }

    /// Lends a plane of an 8-bit picture: its samples, row after row, `stride` apart.
    /// - Precondition: `format.bitDepth == 8`.
    package func with8BitPlane<R, E: Error>(
        _ plane: Plane, _ body: (_ samples: Span<UInt8>, _ stride: Int) throws(E) -> R
    ) throws(E) -> R {
        precondition(format.bitDepth == 8)
        return try unsafe withSamples(plane, as: UInt8.self, body)
    }

    /// Lends a plane of a deeper picture: its samples, row after row, `stride` *samples* apart.
    /// - Precondition: `format.bitDepth > 8`.
    package func with16BitPlane<R, E: Error>(
        _ plane: Plane, _ body: (_ samples: Span<UInt16>, _ stride: Int) throws(E) -> R
    ) throws(E) -> R {
        precondition(format.bitDepth > 8)
        return try unsafe withSamples(plane, as: UInt16.self, body)
    }

    @unsafe
    private func withSamples<T: BitwiseCopyable, R, E: Error>(
        _ plane: Plane, as type: T.Type, _ body: (Span<T>, Int) throws(E) -> R
    ) throws(E) -> R {
        let entry = unsafe memory[plane.rawValue]
        let stride = unsafe entry.stride / MemoryLayout<T>.stride
        let count = stride * (format.height(of: plane) - 1) + format.width(of: plane)
        let samples = unsafe UnsafeBufferPointer(
            start: entry.address.assumingMemoryBound(to: T.self), count: count)
        return try unsafe body(samples.span, stride)
    }
}

/// A view of a planar Y′CbCr picture that may be drawn on.
///
/// The owner of the memory lends the view `inout` to a closure, and guarantees exclusive access.
@safe
package struct MutablePicture: ~Copyable {
    package let format: PictureFormat
    @unsafe let memory: InlineArray<3, PlaneMemory>

    /// - Precondition: As for ``Picture``, and the memory is not shared.
    package init(unsafeFormat format: PictureFormat, planes: InlineArray<3, PlaneMemory>) {
        self.format = format
        unsafe memory = unsafe planes
    }

    /// Returns the distance in bytes between the rows of a plane.
    package func stride(of plane: Plane) -> Int { unsafe memory[plane.rawValue].stride }

    /// Lends the same picture for reading.
    package borrowing func withPicture<R, E: Error>(
        _ body: (borrowing Picture) throws(E) -> R
    ) throws(E) -> R {
        let picture = unsafe Picture(unsafeFormat: format, planes: memory)
        return try body(picture)
    }

    /// Lends a rectangle of the picture as a separate picture.
    ///
    /// - Precondition: The rectangle is within the picture, and its first column and row are those of a chroma sample.
    package mutating func withRegion<R, E: Error>(
        columns: Range<Int>, rows: Range<Int>, _ body: (inout MutablePicture) throws(E) -> R
    ) throws(E) -> R {
        let chroma = format.chroma, whole = format
        precondition(
            !columns.isEmpty && !rows.isEmpty && columns.lowerBound >= 0 && rows.lowerBound >= 0
                && columns.upperBound <= whole.width && rows.upperBound <= whole.height,
            "a region lies within its picture")
        precondition(
            columns.lowerBound % (1 << chroma.shiftX) == 0 && rows.lowerBound % (1 << chroma.shiftY) == 0,
            "a region begins with a sample of chroma")
        var part = whole
        (part.width, part.height) = (columns.count, rows.count)
        let bytes = whole.bitDepth > 8 ? 2 : 1
        var planes = unsafe memory
        for plane in Plane.allCases {
            let x = columns.lowerBound >> (plane == .luma ? 0 : chroma.shiftX)
            let y = rows.lowerBound >> (plane == .luma ? 0 : chroma.shiftY)
            let entry = unsafe memory[plane.rawValue]
            unsafe planes[plane.rawValue].address = entry.address + y * entry.stride + x * bytes
        }
        var picture = unsafe MutablePicture(unsafeFormat: part, planes: planes)
        return try body(&picture)
    }

    /// Lends a plane of an 8-bit picture for writing.
    /// - Precondition: `format.bitDepth == 8`.
    package mutating func with8BitPlane<R, E: Error>(
        _ plane: Plane, _ body: (_ samples: inout MutableSpan<UInt8>, _ stride: Int) throws(E) -> R
    ) throws(E) -> R {
        precondition(format.bitDepth == 8)
        return try unsafe withSamples(plane, as: UInt8.self, body)
    }

    /// Lends a plane of a deeper picture for writing; `stride` is in samples.
    /// - Precondition: `format.bitDepth > 8`.
    package mutating func with16BitPlane<R, E: Error>(
        _ plane: Plane, _ body: (_ samples: inout MutableSpan<UInt16>, _ stride: Int) throws(E) -> R
    ) throws(E) -> R {
        precondition(format.bitDepth > 8)
        return try unsafe withSamples(plane, as: UInt16.self, body)
    }

    @unsafe
    private mutating func withSamples<T: BitwiseCopyable, R, E: Error>(
        _ plane: Plane, as type: T.Type, _ body: (inout MutableSpan<T>, Int) throws(E) -> R
    ) throws(E) -> R {
        let entry = unsafe memory[plane.rawValue]
        let stride = unsafe entry.stride / MemoryLayout<T>.stride
        let count = stride * (format.height(of: plane) - 1) + format.width(of: plane)
        let samples = unsafe UnsafeMutableBufferPointer(
            start: entry.address.assumingMemoryBound(to: T.self), count: count)
        var span = unsafe samples.mutableSpan
        return try body(&span, stride)
    }
}

/// Access for the kernels of CRaster, which accept samples of one byte and of two.
extension Picture {
    /// Returns a plane, valid as long as the picture.
    @unsafe func kernelPlane(_ plane: Plane) -> CRasterPlane {
        unsafe memory[plane.rawValue].kernelPlane(plane, format)
    }

    /// Returns the address of a row, valid as long as the picture.
    /// - Precondition: The row is within the plane.
    @unsafe func row(_ plane: Plane, _ y: Int) -> UnsafeRawPointer {
        precondition(y >= 0 && y < format.height(of: plane))
        return unsafe UnsafeRawPointer(memory[plane.rawValue].address + y * memory[plane.rawValue].stride)
    }
}

extension MutablePicture {
    /// Returns a plane, valid as long as the picture.
    @unsafe func kernelPlane(_ plane: Plane) -> CRasterPlane {
        unsafe memory[plane.rawValue].kernelPlane(plane, format)
    }

    /// Returns the address of samples of a row, valid as long as the picture.
    /// - Precondition: The samples are within the plane.
    @unsafe func samples(_ plane: Plane, _ y: Int, _ columns: Range<Int>) -> UnsafeMutableRawPointer {
        precondition(
            y >= 0 && y < format.height(of: plane) && columns.lowerBound >= 0
                && columns.upperBound <= format.width(of: plane))
        let entry = unsafe memory[plane.rawValue]
        return unsafe entry.address + y * entry.stride + columns.lowerBound * format.bytesPerSample
    }
}

extension PlaneMemory {
    fileprivate func kernelPlane(_ plane: Plane, _ format: PictureFormat) -> CRasterPlane {
        unsafe CRasterPlane(
            samples: address, stride: stride / format.bytesPerSample, width: format.width(of: plane),
            height: format.height(of: plane), is_deep: format.bitDepth > 8)
    }
}
