internal import CFFmpeg
internal import Raster

/// A change that a ``VideoEncoder`` made to pictures before encoding them, to report to the user.
package enum PictureAdjustment: Sendable, Hashable {
    /// The codec accepts even sizes only, so the last column or row was repeated.
    case padded(fromWidth: Int, fromHeight: Int, toWidth: Int, toHeight: Int)
    /// The picture size changed midway, but a container has only one size. Later pictures were scaled to fit into the
    /// first size, with black bars if the shape differs.
    case scaled(fromWidth: Int, fromHeight: Int, toWidth: Int, toHeight: Int)
    /// The container cannot state the orientation, so the pixels were rotated.
    case turnedUpright
    /// The pixel format was converted, since the codec does not accept it and no other was requested. The formats are
    /// FFmpeg's names.
    case converted(from: String, to: String)
    /// The decoded pixel format was converted, since effects cannot be drawn on it. `loss` is in words; the formats are
    /// FFmpeg's names.
    case redrawn(from: String, to: String, loss: String)
    /// The pictures consist of two fields, which are shown as one frame in the output.
    case interlaced
    /// The encoder does not write data that accompanies pictures, by FFmpeg's name.
    case withoutData(String)
}

extension VideoEncoder {
    /// The form to which all pictures are converted. The first picture determines it.
    struct Target {
        /// True if pixels are rotated upright.
        var turns: Bool
        /// The size after rotation, and the coded size, which may be padded.
        var width: Int, height: Int, codedWidth: Int, codedHeight: Int
        var pixelFormat: AVPixelFormat
        var sampleAspectRatio: Rational
    }

    /// Returns whether the pixels of a frame must be rotated, because the container cannot state an orientation.
    func mustTurn(_ frame: borrowing VideoFrame) -> Bool {
        !container.holdsDisplayMatrix && frame.orientation != .upright
    }

    /// Returns the picture in the form that the encoder accepts; the same frame, uncopied, if no change is needed.
    func adapted(_ original: consuming VideoFrame, to target: Target) throws(MediaError) -> VideoFrame {
        var frame = original
        recordOrigin(of: frame, target)
        if target.turns, frame.orientation != .upright {
            record(.turnedUpright)
            frame = try turned(frame)
        }
        if frame.width != target.width || frame.height != target.height {
            record(
                .scaled(
                    fromWidth: frame.width, fromHeight: frame.height, toWidth: target.width, toHeight: target.height))
            frame = try fitted(frame, target)
        }
        let format = frame.av.pixelFormat
        if format != target.pixelFormat, !Self.areSameSamples(format, target.pixelFormat) {
            if settings.pixelFormat == nil, settings.transparency == nil {
                record(.converted(from: Self.name(of: format), to: Self.name(of: target.pixelFormat)))
            }
            frame = try converted(frame, width: frame.width, height: frame.height, to: target.pixelFormat)
        }
        if target.codedWidth != target.width || target.codedHeight != target.height {
            record(
                .padded(
                    fromWidth: target.width, fromHeight: target.height,
                    toWidth: target.codedWidth, toHeight: target.codedHeight))
            frame = try padded(frame, target)
        }
        return frame
    }

    /// Records the loss of a conversion after decoding, and that the picture is interlaced.
    private func recordOrigin(of frame: borrowing VideoFrame, _ target: Target) {
        if let origin = frame.decodedFormat, let loss = frame.loss {
            record(.redrawn(from: Self.name(of: origin), to: Self.name(of: target.pixelFormat), loss: loss))
        }
        if frame.isInterlaced, settings.spliced?.isInterlaced != true { record(.interlaced) }
    }

    private static func name(of format: AVPixelFormat) -> String { PixelFormat.name(format) ?? "?" }

    private func converted(
        _ frame: consuming VideoFrame, width: Int, height: Int, to format: AVPixelFormat
    ) throws(MediaError) -> VideoFrame {
        let result = try converter.convert(frame.av, width: width, height: height, to: format, pool: pool)
        return VideoFrame(result, time: frame.time, duration: frame.duration, orientation: frame.orientation)
    }

    private func turned(_ frame: consuming VideoFrame) throws(MediaError) -> VideoFrame {
        let orientation = frame.orientation
        let isSideways = orientation.quarterTurns % 2 == 1
        var source = frame
        if isSideways, source.pictureFormat.chroma == .yuv422 {
            // Rotated 4:2:2 has its chroma halved vertically, which no encoder accepts.
            let format = PixelFormat.format(bitDepth: source.pictureFormat.bitDepth, chroma: .yuv444)
            source = try converted(source, width: source.width, height: source.height, to: format)
        }
        return try source.turnedUpright(pool: pool)
    }

    /// Returns the picture scaled to fit the target's size, with black bars if the shape differs.
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
        let scaled = try converted(frame, width: width, height: height, to: frame.av.pixelFormat)
        if width == target.width, height == target.height { return scaled }
        var result = try scaled.empty(width: target.width, height: target.height, pool: pool)
        result.av.sample_aspect_ratio = target.sampleAspectRatio.avRational
        let format = scaled.pictureFormat
        let (left, top) = ((target.width - width) / 4 * 2, (target.height - height) / 4 * 2)
        try result.fill(pool: pool)
        try scaled.copyPlanes(into: &result, pool: pool) { plane, stride in
            let shifts = plane == .luma ? (0, 0) : (format.chroma.shiftX, format.chroma.shiftY)
            let (w, h) = (format.width(of: plane), format.height(of: plane))
            return PlaneCopy(
                left: left >> shifts.0, top: top >> shifts.1, width: w, height: h, columnStep: 1,
                rowStep: stride, lastColumn: w - 1, lastRow: h - 1)
        }
        return result
    }

    /// Returns the picture padded to the coded size, with its last column and row repeated.
    private func padded(_ frame: consuming VideoFrame, _ target: Target) throws(MediaError) -> VideoFrame {
        var result = try frame.empty(width: target.codedWidth, height: target.codedHeight, pool: pool)
        let (from, to) = (frame.pictureFormat, result.pictureFormat)
        try frame.copyPlanes(into: &result, pool: pool) { plane, stride in
            PlaneCopy(
                width: to.width(of: plane), height: to.height(of: plane), columnStep: 1, rowStep: stride,
                lastColumn: from.width(of: plane) - 1, lastRow: from.height(of: plane) - 1)
        }
        return result
    }
}
