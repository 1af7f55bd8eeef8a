internal import CFFmpeg
package import Raster

/// Gives access to a frame's samples for reading and drawing, and rotates frames.
extension VideoFrame {
    /// Lends the picture for reading.
    package borrowing func withPicture<R, E: Error>(
        _ body: (borrowing Picture) throws(E) -> R
    ) throws(E) -> R {
        let picture = unsafe Picture(unsafeFormat: pictureFormat, planes: planes)
        return try body(picture)
    }

    /// Lends the picture for drawing.
    ///
    /// Shared pixels are first copied into a buffer of `pool`. Every frame that a decoder uses as a reference is
    /// shared. A second call on the same frame copies nothing.
    ///
    /// - Parameter pool: The pool for memory, if any is needed.
    /// - throws: The error of `body`, or ``MediaError`` if there is no memory.
    package mutating func withMutablePicture<R>(
        pool: FramePool, _ body: (inout MutablePicture) throws -> R
    ) throws -> R {
        try makeWritable(pool: pool)
        var picture = unsafe MutablePicture(unsafeFormat: pictureFormat, planes: planes)
        return try body(&picture)
    }

    private var planes: InlineArray<3, PlaneMemory> {
        unsafe [
            PlaneMemory(address: av.plane(0)!, stride: av.stride(0)),
            PlaneMemory(address: av.plane(1)!, stride: av.stride(1)),
            PlaneMemory(address: av.plane(2)!, stride: av.stride(2)),
        ]
    }
}

extension VideoFrame {
    /// Returns a picture on which effects are drawn instead of on this picture. It has the same size, shape, time,
    /// orientation and matrix, in standard dynamic range with 12 bits a sample and 4:4:4. Its samples are undefined.
    package borrowing func canvas(pool: FramePool) throws(MediaError) -> VideoFrame {
        try alike(bitDepth: 12, pool: pool)
    }

    /// Returns a canvas like ``canvas(pool:)``, but with 10 bits a sample and a plane of alpha, for
    /// ``withTransparentPicture(pool:_:)``. Its colours are straight: not multiplied by alpha.
    package borrowing func transparentCanvas(pool: FramePool) throws(MediaError) -> VideoFrame {
        try alike(bitDepth: 10, hasAlpha: true, pool: pool)
    }

    /// Returns this picture on a canvas like ``canvas(pool:)``.
    package borrowing func onCanvas(_ converter: CanvasConverter, pool: FramePool) throws(MediaError) -> VideoFrame {
        let canvas = try canvas(pool: pool)
        try converter.converter.recode(av, into: canvas.av)
        return canvas
    }

    private borrowing func alike(
        bitDepth: Int, hasAlpha: Bool = false, pool: FramePool
    ) throws(MediaError) -> VideoFrame {
        // Programs may overlay the canvas on the source without colour conversion, as FFmpeg's overlay filter does. So
        // the canvas has the source's matrix.
        let matrix = pictureFormat.transfer == .sdr ? pictureFormat.matrix : .bt709
        let format = PictureFormat(
            width: width, height: height, bitDepth: bitDepth, chroma: .yuv444, matrix: matrix)
        let frame = try VideoFrame(
            format: format, hasAlpha: hasAlpha, time: time, duration: duration, orientation: orientation, pool: pool)
        frame.av.sample_aspect_ratio = sampleAspectRatio.avRational
        return frame
    }

    /// Lends a transparent picture: its colours, and the samples of alpha, 0…1023, whose rows are `stride` samples
    /// apart.
    ///
    /// - Precondition: The frame was made by ``transparentCanvas(pool:)``.
    package mutating func withTransparentPicture<R>(
        pool: FramePool,
        _ body: (_ colours: inout MutablePicture, _ alpha: inout MutableSpan<UInt16>, _ stride: Int) throws -> R
    ) throws -> R {
        precondition(av.pixelFormat == AV_PIX_FMT_YUVA444P10LE, "the picture has no alpha channel")
        try makeWritable(pool: pool)
        let stride = av.stride(3) / MemoryLayout<UInt16>.stride
        let start = unsafe UnsafeMutableRawPointer(av.plane(3)!).assumingMemoryBound(to: UInt16.self)
        let samples = unsafe UnsafeMutableBufferPointer(start: start, count: stride * (height - 1) + width)
        return try withMutablePicture(pool: pool) { picture in
            var alpha = unsafe samples.mutableSpan
            return try body(&picture, &alpha, stride)
        }
    }

    /// Sets every sample to black, or to white.
    package mutating func fill(white: Bool = false, pool: FramePool) throws(MediaError) {
        let format = pictureFormat
        let dark = format.range == .full ? 0 : 16 << (format.bitDepth - 8)
        let bright = format.range == .full ? 1 << format.bitDepth - 1 : 235 << (format.bitDepth - 8)
        let neutral = 128 << (format.bitDepth - 8)
        try fill((luma: white ? bright : dark, cb: neutral, cr: neutral), pool: pool)
    }

    /// Sets every sample of each plane to one value.
    package mutating func fill(_ samples: (luma: Int, cb: Int, cr: Int), pool: FramePool) throws(MediaError) {
        let format = pictureFormat
        try makeWritable(pool: pool)
        var out = unsafe MutablePicture(unsafeFormat: format, planes: planes)
        for plane in Plane.allCases {
            let value =
                switch plane {
                case .luma: samples.luma
                case .cb: samples.cb
                case .cr: samples.cr
                }
            if format.bitDepth > 8 {
                out.with16BitPlane(plane) { samples, _ in
                    for i in samples.indices { samples[i] = UInt16(value) }
                }
            } else {
                out.with8BitPlane(plane) { samples, _ in
                    for i in samples.indices { samples[i] = UInt8(value) }
                }
            }
        }
    }
}

/// Converts pictures for canvases, and keeps what it needs for the next one. It is used by one thread at a time.
package final class CanvasConverter {
    fileprivate let converter = FrameConverter()

    package init() {}
}

extension VideoFrame {
    /// Returns a picture of another size with this picture's tags and undefined samples.
    borrowing func empty(width: Int, height: Int, pool: FramePool) throws(MediaError) -> VideoFrame {
        let blank = try pool.makeFrame(width: width, height: height, format: av.pixelFormat)
        try blank.copyProperties(of: av)
        return VideoFrame(blank, time: time, duration: duration, orientation: orientation)
    }

    /// Returns the picture with its samples rotated upright.
    ///
    /// - Precondition: A 4:2:2 picture needs no quarter turn.
    package borrowing func turnedUpright(pool: FramePool) throws(MediaError) -> VideoFrame {
        let isSideways = orientation.quarterTurns % 2 == 1
        let blank = try empty(width: isSideways ? height : width, height: isSideways ? width : height, pool: pool)
        let ratio = sampleAspectRatio
        blank.av.sample_aspect_ratio = (isSideways ? ratio.inverse : ratio).avRational
        // Below, the samples of the new frame are written upright. Here, its declared orientation becomes upright, too.
        var result = blank.asUpright()
        let (format, orientation) = (pictureFormat, orientation)
        try copyPlanes(into: &result, pool: pool) { plane, stride in
            .turn(orientation, width: format.width(of: plane), height: format.height(of: plane), stride: stride)
        }
        return result
    }
}

/// A copy of a plane's samples to other places: rotated, with an edge repeated, or into a part of a larger plane.
///
/// The sample at column x and row y of the target rectangle is `source[origin + min(x, lastColumn) * columnStep +
/// min(y, lastRow) * rowStep]`.
struct PlaneCopy {
    /// The target rectangle.
    var left = 0, top = 0, width: Int, height: Int
    var origin = 0, columnStep: Int, rowStep: Int
    var lastColumn: Int, lastRow: Int

    /// Returns the copy that rotates a plane upright. Width, height and stride are in samples of the stored plane.
    static func turn(_ orientation: Orientation, width: Int, height: Int, stride: Int) -> PlaneCopy {
        // The offset of the first sample of a mirrored (or unmirrored) row, and the step along the row.
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

    func run<T: BitwiseCopyable>(_ source: Span<T>, _ target: inout MutableSpan<T>, stride: Int) {
        for y in 0..<height {
            let from = origin + min(y, lastRow) * rowStep
            let to = (top + y) * stride + left
            let whole = min(width, lastColumn + 1)
            for x in 0..<whole { target[to + x] = source[from + x * columnStep] }
            guard whole < width else { continue }
            let last = source[from + lastColumn * columnStep]
            for x in whole..<width { target[to + x] = last }
        }
    }
}

extension VideoFrame {
    /// Copies all planes into another picture of the same depth.
    ///
    /// - Parameter plan: Returns the copy of a plane, given the source's stride in samples.
    borrowing func copyPlanes(
        into target: inout VideoFrame, pool: FramePool, _ plan: (Plane, Int) -> PlaneCopy
    ) throws(MediaError) {
        try target.makeWritable(pool: pool)
        let picture = unsafe Picture(unsafeFormat: pictureFormat, planes: planes)
        var out = unsafe MutablePicture(unsafeFormat: target.pictureFormat, planes: target.planes)
        for plane in Plane.allCases {
            if pictureFormat.bitDepth > 8 {
                picture.with16BitPlane(plane) { source, stride in
                    out.with16BitPlane(plane) { samples, to in plan(plane, stride).run(source, &samples, stride: to) }
                }
            } else {
                picture.with8BitPlane(plane) { source, stride in
                    out.with8BitPlane(plane) { samples, to in plan(plane, stride).run(source, &samples, stride: to) }
                }
            }
        }
    }
}

extension VideoFrame {
    /// Returns a region as a separate frame that shares the pixels. Drawing on it first copies only the region.
    ///
    /// - Parameter region: Within the picture; its lower bounds are even if chroma is subsampled.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    ///
    /// `av_frame_apply_cropping`
    package borrowing func region(_ region: PictureRegion) throws(MediaError) -> VideoFrame {
        check(region)
        let part = try av.shared()
        let status = part.crop(
            left: region.columns.lowerBound, top: region.rows.lowerBound,
            right: width - region.columns.upperBound, bottom: height - region.rows.upperBound)
        precondition(status >= 0, "a region lies within its picture")
        return VideoFrame(part, time: time, duration: duration, orientation: orientation)
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
        let status = place.av.copySamples(of: part.av)
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

extension VideoFrame {
    /// Shows a part of the picture at the size of the whole. Shared pixels are not changed.
    ///
    /// - Parameters:
    ///   - part: The part, in fractions of the upright picture.
    ///   - pool: The pool for memory.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    package mutating func show(
        _ part: Rectangle, by enlarger: PictureEnlarger, pool: FramePool
    ) throws(MediaError) {
        let isOwner = isWritable
        let source = if isOwner { try copy(pool: pool) } else { try shared() }
        if !isOwner {
            try makeBlank(pool: pool)
            pool.countCopy()
        }
        let geometry = self.geometry
        let corners = [(part.left, part.top), (part.right, part.bottom)].map { x, y in
            geometry.uprightToStored.apply(x: x * geometry.uprightWidth, y: y * geometry.uprightHeight)
        }
        let stored = Rectangle(
            left: min(corners[0].x, corners[1].x), top: min(corners[0].y, corners[1].y),
            right: max(corners[0].x, corners[1].x), bottom: max(corners[0].y, corners[1].y))
        var target = unsafe MutablePicture(unsafeFormat: pictureFormat, planes: planes)
        let site = chromaSite
        source.withPicture { enlarger.draw(stored, of: $0, on: &target, chromaSite: site) }
    }

    /// The place of the chroma samples. Without a tag it is that of JPEG for full range, otherwise that of MPEG-2.
    private var chromaSite: ChromaSite {
        switch av.chroma_location {
        case AVCHROMA_LOC_LEFT: .left
        case AVCHROMA_LOC_CENTER: .centre
        case AVCHROMA_LOC_TOPLEFT: .topLeft
        case AVCHROMA_LOC_TOP: ChromaSite(x: 0.5, y: 0)
        case AVCHROMA_LOC_BOTTOMLEFT: ChromaSite(x: 0, y: 1)
        case AVCHROMA_LOC_BOTTOM: ChromaSite(x: 0.5, y: 1)
        default: pictureFormat.range == .full ? .centre : .left
        }
    }
}
