internal import CFFmpeg
internal import Raster

extension VideoEncoder {
    /// What all pictures are brought to, fixed by the first one.
    struct Target {
        /// Whether pixels are turned upright.
        var turns: Bool
        /// The picture's size after that, and the one it is coded at, which may be padded.
        var width: Int, height: Int, codedWidth: Int, codedHeight: Int
        var pixelFormat: AVPixelFormat
        var sampleAspectRatio: Rational
    }

    /// Whether the shape of the file's pictures lies in the pixels alone.
    func mustTurn(_ frame: borrowing VideoFrame) -> Bool {
        !container.holdsDisplayMatrix && frame.orientation != .upright
    }

    /// The picture as the encoder takes it. The frame comes back as it is, uncopied, if nothing need be done.
    func adapted(_ original: consuming VideoFrame, to target: Target) throws(MediaError) -> VideoFrame {
        var frame = original
        noteOrigin(of: frame, target)
        if target.turns, frame.orientation != .upright {
            note(.turnedUpright)
            frame = try turned(frame)
        }
        if frame.width != target.width || frame.height != target.height {
            note(
                .scaled(
                    fromWidth: frame.width, fromHeight: frame.height, toWidth: target.width, toHeight: target.height))
            frame = try fitted(frame, target)
        }
        let format = unsafe AVPixelFormat(rawValue: frame.av.pointee.format)
        if !Self.areSameSamples(format, target.pixelFormat) {
            if settings.pixelFormat == nil {
                note(.converted(from: Self.name(of: format), to: Self.name(of: target.pixelFormat)))
            }
            frame = try converted(frame, width: frame.width, height: frame.height, to: target.pixelFormat)
        }
        if target.codedWidth != target.width || target.codedHeight != target.height {
            note(
                .padded(
                    fromWidth: target.width, fromHeight: target.height,
                    toWidth: target.codedWidth, toHeight: target.codedHeight))
            frame = try padded(frame, target)
        }
        return frame
    }

    /// Notes what was lost before the picture came here, or will be.
    private func noteOrigin(of frame: borrowing VideoFrame, _ target: Target) {
        if let origin = frame.decodedFormat, let loss = PixelFormat.loss(from: origin) {
            note(.redrawn(from: Self.name(of: origin), to: Self.name(of: target.pixelFormat), loss: loss))
        }
        if frame.isInterlaced { note(.interlaced) }
    }

    private static func name(of format: AVPixelFormat) -> String {
        unsafe av_get_pix_fmt_name(format).map { unsafe String(cString: $0) } ?? "?"
    }

    /// The colour tags that the file should carry, whatever was done to the frame.
    private func empty(
        like frame: borrowing VideoFrame, width: Int, height: Int
    ) throws(MediaError) -> VideoFrame {
        let blank = unsafe try pool.makeFrame(
            width: Int32(width), height: Int32(height), format: AVPixelFormat(rawValue: frame.av.pointee.format))
        unsafe av_frame_copy_props(blank, frame.av)
        return unsafe VideoFrame(
            owned: blank, time: frame.time, duration: frame.duration, orientation: frame.orientation)
    }

    private func converted(
        _ frame: consuming VideoFrame, width: Int, height: Int, to format: AVPixelFormat
    ) throws(MediaError) -> VideoFrame {
        let result = unsafe try converter.convert(
            frame.av, width: Int32(width), height: Int32(height), to: format, pool: pool)
        return unsafe VideoFrame(
            owned: result, time: frame.time, duration: frame.duration, orientation: frame.orientation)
    }

    private func turned(_ frame: consuming VideoFrame) throws(MediaError) -> VideoFrame {
        let orientation = frame.orientation
        let isSideways = orientation.quarterTurns % 2 == 1
        var source = frame
        if isSideways, source.pictureFormat.chroma == .yuv422 {
            // Turned 4:2:2 would have its chroma halved the other way, which nothing takes.
            let format = PixelFormat.format(bitDepth: source.pictureFormat.bitDepth, chroma: .yuv444)
            source = try converted(source, width: source.width, height: source.height, to: format)
        }
        let (width, height) = isSideways ? (source.height, source.width) : (source.width, source.height)
        let blank = try empty(like: source, width: width, height: height)
        let ratio = source.sampleAspectRatio
        unsafe blank.av.pointee.sample_aspect_ratio = (isSideways ? ratio.inverse : ratio).avRational
        // The new frame is upright: its fields are taken over under that name.
        var result = try blank.asUpright()
        let format = source.pictureFormat
        try internally {
            try source.copyPlanes(into: &result, pool: pool) { plane, stride in
                Self.turn(orientation, width: format.width(of: plane), height: format.height(of: plane), stride: stride)
            }
        }
        return result
    }

    /// The plan that turns a plane of a size.
    static func turn(_ orientation: Orientation, width: Int, height: Int, stride: Int) -> PlaneCopy {
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

    /// Scaled into the target's size, with black bars where the shape differs.
    private func fitted(_ frame: consuming VideoFrame, _ target: Target) throws(MediaError) -> VideoFrame {
        let ratio = target.sampleAspectRatio.isPositive ? target.sampleAspectRatio.value : 1
        let shape = Double(frame.width) * frame.sampleAspectRatio.value / Double(frame.height) / ratio
        var (width, height) = (target.width, target.height)
        if shape < Double(width) / Double(height) {
            width = max(2, Int((Double(height) * shape / 2).rounded()) * 2)
        } else {
            height = max(2, Int((Double(width) / shape / 2).rounded()) * 2)
        }
        width = min(width, target.width)
        height = min(height, target.height)
        let own = unsafe AVPixelFormat(rawValue: frame.av.pointee.format)
        let scaled = try converted(frame, width: width, height: height, to: own)
        if width == target.width, height == target.height { return scaled }
        var result = try empty(like: scaled, width: target.width, height: target.height)
        unsafe result.av.pointee.sample_aspect_ratio = target.sampleAspectRatio.avRational
        let format = scaled.pictureFormat
        let (left, top) = ((target.width - width) / 4 * 2, (target.height - height) / 4 * 2)
        try internally {
            try result.blacken(pool: pool)
            try scaled.copyPlanes(into: &result, pool: pool) { plane, stride in
                let shifts = plane == .luma ? (0, 0) : (format.chroma.shiftX, format.chroma.shiftY)
                let (w, h) = (format.width(of: plane), format.height(of: plane))
                return PlaneCopy(
                    left: left >> shifts.0, top: top >> shifts.1, width: w, height: h, columnStep: 1,
                    rowStep: stride, lastColumn: w - 1, lastRow: h - 1)
            }
        }
        return result
    }

    /// Grown to the coded size by repeating the last column and row.
    private func padded(_ frame: consuming VideoFrame, _ target: Target) throws(MediaError) -> VideoFrame {
        var result = try empty(like: frame, width: target.codedWidth, height: target.codedHeight)
        let (from, to) = (frame.pictureFormat, result.pictureFormat)
        try internally {
            try frame.copyPlanes(into: &result, pool: pool) { plane, stride in
                PlaneCopy(
                    width: to.width(of: plane), height: to.height(of: plane), columnStep: 1, rowStep: stride,
                    lastColumn: from.width(of: plane) - 1, lastRow: from.height(of: plane) - 1)
            }
        }
        return result
    }

    private func internally(_ body: () throws -> Void) throws(MediaError) {
        do { try body() } catch {
            throw error as? MediaError ?? MediaError(.internal, file: path, "\(path): a picture could not be copied")
        }
    }
}
