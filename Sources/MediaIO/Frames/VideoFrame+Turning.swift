internal import CFFmpeg
internal import Raster

extension VideoFrame {
    /// A picture of another size and undefined samples, with the tags of this one.
    borrowing func empty(width: Int, height: Int, pool: FramePool) throws(MediaError) -> VideoFrame {
        let blank = unsafe try pool.makeFrame(
            width: Int32(width), height: Int32(height), format: AVPixelFormat(rawValue: av.pointee.format))
        let copied = unsafe av_frame_copy_props(blank, av)
        let empty = unsafe VideoFrame(owned: blank, time: time, duration: duration, orientation: orientation)
        try MediaError.demandMemory(copied, "")
        return empty
    }

    /// The picture with its samples turned as a viewer sees it.
    ///
    /// - Precondition: it is not 4:2:2 where that means a quarter turn.
    package borrowing func turnedUpright(pool: FramePool) throws(MediaError) -> VideoFrame {
        let isSideways = orientation.quarterTurns % 2 == 1
        let blank = try empty(width: isSideways ? height : width, height: isSideways ? width : height, pool: pool)
        let ratio = sampleAspectRatio
        unsafe blank.av.pointee.sample_aspect_ratio = (isSideways ? ratio.inverse : ratio).avRational
        // The new frame is upright: its fields are taken over under that name.
        var result = try blank.asUpright()
        let (format, orientation) = (pictureFormat, orientation)
        do {
            try copyPlanes(into: &result, pool: pool) { plane, stride in
                Self.turn(orientation, width: format.width(of: plane), height: format.height(of: plane), stride: stride)
            }
        } catch {
            throw error as? MediaError ?? MediaError(.internal, file: "", "a picture could not be turned")
        }
        return result
    }

    /// The plan that turns a plane of a size.
    private static func turn(_ orientation: Orientation, width: Int, height: Int, stride: Int) -> PlaneCopy {
        // Where the stored picture's first sample is after mirroring, and the step along its rows.
        let start = orientation.mirrored ? width - 1 : 0
        let along = orientation.mirrored ? -1 : 1
        let end = orientation.mirrored ? 0 : width - 1
        let bottom = (height - 1) * stride
        let (origin, columnStep, rowStep) =
            switch orientation.quarterTurns {
            case 1: (start + bottom, -stride, along)
            case 2: (end + bottom, -along, -stride)
            case 3: (end, stride, -along)
            default: (start, along, stride)
            }
        let isSideways = orientation.quarterTurns % 2 == 1
        let (w, h) = isSideways ? (height, width) : (width, height)
        return PlaneCopy(
            width: w, height: h, origin: origin, columnStep: columnStep, rowStep: rowStep,
            lastColumn: w - 1, lastRow: h - 1)
    }
}
