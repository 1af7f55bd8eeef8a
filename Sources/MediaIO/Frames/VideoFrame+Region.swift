internal import CFFmpeg
internal import Raster

/// A rectangle of a stored picture, in pixels; the ends are not part of it.
package struct PictureRegion: Sendable, Hashable {
    package var columns: Range<Int>
    package var rows: Range<Int>

    package init(columns: Range<Int>, rows: Range<Int>) { (self.columns, self.rows) = (columns, rows) }
}

extension VideoFrame {
    /// Returns a region as a frame of its own, which shares the pixels: drawing on it copies the region alone first.
    ///
    /// - Parameter region: Within the picture; its lower bounds are even where chroma is subsampled.
    /// - throws: ``MediaError`` of the code `internal` where there is no memory.
    package borrowing func region(_ region: PictureRegion) throws(MediaError) -> VideoFrame {
        check(region)
        guard let part = unsafe av_frame_clone(av) else { throw .outOfMemory("") }
        let format = pictureFormat
        unsafe (part.pointee.width, part.pointee.height) = (Int32(region.columns.count), Int32(region.rows.count))
        unsafe part.pointee.data.0 = origin(of: region, in: .luma, format)
        unsafe part.pointee.data.1 = origin(of: region, in: .cb, format)
        unsafe part.pointee.data.2 = origin(of: region, in: .cr, format)
        unsafe part.pointee.extended_data = unsafe withUnsafeMutablePointer(to: &part.pointee.data) {
            unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self)
        }
        return unsafe VideoFrame(owned: part, time: time, duration: duration, orientation: orientation)
    }

    /// Puts a frame of the same format in the place of a region; its own pixels are copied first where they are shared.
    ///
    /// - Parameters:
    ///   - region: As for ``region(_:)``, of the size of `part`.
    ///   - pool: Where to take the memory from, if any is needed.
    /// - throws: ``MediaError`` of the code `internal` where there is no memory.
    package mutating func replace(
        _ region: PictureRegion, with part: borrowing VideoFrame, pool: FramePool
    ) throws(MediaError) {
        check(region)
        precondition(part.width == region.columns.count && part.height == region.rows.count)
        try makeWritable(pool: pool)
        let format = pictureFormat, place = try self.region(region)
        for plane in [Plane.luma, .cb, .cr] {
            let bytes = part.pictureFormat.width(of: plane) * format.bytesPerSample
            let rows = part.pictureFormat.height(of: plane)
            let (target, targetStride) = unsafe place.memory(of: plane)
            let (source, sourceStride) = unsafe part.memory(of: plane)
            for row in 0..<rows {
                unsafe (target + row * targetStride).update(from: source + row * sourceStride, count: bytes)
            }
        }
    }

    private borrowing func check(_ region: PictureRegion) {
        precondition(
            !region.columns.isEmpty && !region.rows.isEmpty && region.columns.lowerBound >= 0
                && region.rows.lowerBound >= 0 && region.columns.upperBound <= width
                && region.rows.upperBound <= height, "a region lies within its picture")
        let (across, down) = pictureFormat.chromaSteps
        precondition(
            region.columns.lowerBound % across == 0 && region.rows.lowerBound % down == 0,
            "a region begins with a sample of chroma")
    }

    /// The first sample of a region in a plane.
    private borrowing func origin(
        of region: PictureRegion, in plane: Plane, _ format: PictureFormat
    ) -> UnsafeMutablePointer<UInt8> {
        let (across, down) = plane == .luma ? (1, 1) : format.chromaSteps
        let (address, stride) = unsafe memory(of: plane)
        return unsafe address + region.rows.lowerBound / down * stride
            + region.columns.lowerBound / across * format.bytesPerSample
    }

    private borrowing func memory(of plane: Plane) -> (UnsafeMutablePointer<UInt8>, stride: Int) {
        switch plane {
        case .luma: unsafe (av.pointee.data.0!, Int(av.pointee.linesize.0))
        case .cb: unsafe (av.pointee.data.1!, Int(av.pointee.linesize.1))
        case .cr: unsafe (av.pointee.data.2!, Int(av.pointee.linesize.2))
        }
    }
}

extension PictureFormat {
    /// The pixels that share a sample of chroma, across and down.
    fileprivate var chromaSteps: (across: Int, down: Int) {
        (1 << chroma.shiftX, 1 << chroma.shiftY)
    }
}
