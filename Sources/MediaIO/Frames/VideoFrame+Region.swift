internal import CFFmpeg
package import Raster

extension VideoFrame {
    /// Returns a region as a separate frame that shares the pixels. Drawing on it first copies only the region.
    ///
    /// - Parameter region: Within the picture; its lower bounds are even if chroma is subsampled.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    ///
    /// `av_frame_apply_cropping`
    package borrowing func region(_ region: PictureRegion) throws(MediaError) -> VideoFrame {
        check(region)
        guard let part = unsafe av_frame_clone(av) else { throw .outOfMemory("") }
        unsafe part.pointee.crop_left = region.columns.lowerBound
        unsafe part.pointee.crop_top = region.rows.lowerBound
        unsafe part.pointee.crop_right = width - region.columns.upperBound
        unsafe part.pointee.crop_bottom = height - region.rows.upperBound
        let status = unsafe av_frame_apply_cropping(part, Int32(AV_FRAME_CROP_UNALIGNED))
        precondition(status >= 0, "a region lies within its picture")
        return unsafe VideoFrame(owned: part, time: time, duration: duration, orientation: orientation)
    }

    /// Replaces a region by a frame of the same format. If this frame's pixels are shared, they are copied first.
    ///
    /// - Parameters:
    ///   - region: As for ``region(_:)``, of the size of `part`.
    ///   - pool: The pool for memory, if any is needed.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    ///
    /// `av_frame_copy`
    package mutating func replace(
        _ region: PictureRegion, with part: borrowing VideoFrame, pool: FramePool
    ) throws(MediaError) {
        check(region)
        precondition(
            part.width == region.columns.count && part.height == region.rows.count, "a part has the size of its region")
        try makeWritable(pool: pool)
        let place = try self.region(region)
        let status = unsafe av_frame_copy(place.av, part.av)
        precondition(status >= 0, "a part has the format of its picture")
    }

    private borrowing func check(_ region: PictureRegion) {
        precondition(
            !region.columns.isEmpty && !region.rows.isEmpty && region.columns.lowerBound >= 0
                && region.rows.lowerBound >= 0 && region.columns.upperBound <= width
                && region.rows.upperBound <= height, "a region lies within its picture")
        let chroma = pictureFormat.chroma
        precondition(
            region.columns.lowerBound % (1 << chroma.shiftX) == 0 && region.rows.lowerBound % (1 << chroma.shiftY) == 0,
            "a region begins with a sample of chroma")
    }
}
