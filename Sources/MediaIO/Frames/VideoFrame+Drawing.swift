internal import CFFmpeg
package import Raster

extension VideoFrame {
    /// Lends the picture to look at.
    package borrowing func withPicture<R, E: Error>(
        _ body: (borrowing Picture) throws(E) -> R
    ) throws(E) -> R {
        let picture = unsafe Picture(unsafeFormat: pictureFormat, planes: planes)
        return try body(picture)
    }

    /// Lends the picture to draw on.
    ///
    /// Where somebody else may see the pixels (as with every frame that comes from a
    /// decoder that predicts from it), they are first copied into a buffer of `pool`;
    /// a second call on the same frame copies nothing.
    ///
    /// - Parameter pool: Where to take the memory from, if any is needed.
    /// - throws: What `body` throws, or ``MediaError`` where there is no memory.
    package mutating func withMutablePicture<R>(
        pool: FramePool, _ body: (inout MutablePicture) throws -> R
    ) throws -> R {
        try makeWritable(pool: pool)
        var picture = unsafe MutablePicture(unsafeFormat: pictureFormat, planes: planes)
        return try body(&picture)
    }

    /// Makes sure that this frame alone sees its pixels.
    package mutating func makeWritable(pool: FramePool) throws(MediaError) {
        if isWritable { return }
        let copy = unsafe try pool.makeFrame(
            width: av.pointee.width, height: av.pointee.height,
            format: AVPixelFormat(rawValue: av.pointee.format))
        pool.countCopy()
        var emptied: UnsafeMutablePointer<AVFrame>? = unsafe copy
        defer { unsafe av_frame_free(&emptied) }
        unsafe av_frame_copy(copy, av)
        try MediaError.demandMemory(unsafe av_frame_copy_props(copy, av), "")
        unsafe av_frame_unref(av)
        unsafe av_frame_move_ref(av, copy)
    }

    private var planes: InlineArray<3, PlaneMemory> {
        unsafe [
            PlaneMemory(address: av.pointee.data.0!, stride: Int(av.pointee.linesize.0)),
            PlaneMemory(address: av.pointee.data.1!, stride: Int(av.pointee.linesize.1)),
            PlaneMemory(address: av.pointee.data.2!, stride: Int(av.pointee.linesize.2)),
        ]
    }
}
