internal import CFFmpeg
package import Raster

/// Fits pictures into the format of a video, so that they cover its frames: the middle of a picture that has other
/// proportions is shown, upright, in the colours (matrix and range) of the video.
///
/// Used by one thread at a time.
package final class CoverFit {
    private let scaler = FrameConverter(), recoder = FrameConverter(), unpacker = FrameConverter()
    private let scaled = FramePool(), turned = FramePool(), results = FramePool(), unpacked = FramePool()

    package init() {}

    /// Returns the picture of a file, fitted into a format.
    ///
    /// - Parameters:
    ///   - format: Its dynamic range is standard.
    ///   - geometry: The geometry of the video's frames.
    /// - throws: ``MediaError`` of the code `internal`.
    package func picture(
        of source: LoopingPicture, for geometry: DisplayGeometry, _ format: PictureFormat
    ) throws(MediaError) -> VideoFrame {
        try source.withPicture { (frame, stored) throws(MediaError) in
            let flags = PixelFormat.flags(frame.pixelFormat)
            // Formats whose pixels are bits or numbers of colours cannot be cut at any pixel.
            guard flags & (AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM) == 0 else {
                let plain = try unpacker.convert(
                    frame, width: stored.storedWidth, height: stored.storedHeight, to: AV_PIX_FMT_RGB24, pool: unpacked)
                return try fit(plain, stored, geometry, format)
            }
            return try fit(frame, stored, geometry, format)
        }
    }

    private func fit(
        _ frame: borrowing FrameHandle, _ stored: DisplayGeometry, _ geometry: DisplayGeometry, _ format: PictureFormat
    ) throws(MediaError) -> VideoFrame {
        let part = try frame.shared()
        let (columns, rows) = Self.cover(stored, geometry.aspectRatio)
        _ = part.crop(
            left: columns.lowerBound, top: rows.lowerBound, right: stored.storedWidth - columns.upperBound,
            bottom: stored.storedHeight - rows.upperBound)
        let turn = stored.orientation.then(geometry.orientation.inverse)
        guard turn != .upright else {
            let result = try VideoFrame(format: format, time: .zero, pool: results)
            try scaler.recode(part, into: result.av)
            return result
        }
        // A turn needs samples of colour for each pixel, since subsampling may differ across and down.
        var whole = format
        whole.chroma = .yuv444
        if turn.quarterTurns % 2 == 1 { (whole.width, whole.height) = (format.height, format.width) }
        let lying = try VideoFrame(format: whole, time: .zero, orientation: turn, pool: scaled)
        try scaler.recode(part, into: lying.av)
        let upright = try lying.turnedUpright(pool: turned)
        if format.chroma == .yuv444 { return upright }
        let result = try VideoFrame(format: format, time: .zero, pool: results)
        try recoder.recode(upright.av, into: result.av)
        return result
    }

    /// Returns the part of a stored picture that covers upright frames of an aspect ratio.
    static func cover(_ stored: DisplayGeometry, _ aspectRatio: Double) -> (columns: Range<Int>, rows: Range<Int>) {
        let (width, height) = (stored.uprightWidth, stored.uprightHeight)
        let shown = (width: min(width, height * aspectRatio), height: min(height, width / aspectRatio))
        let (left, top) = ((width - shown.width) / 2, (height - shown.height) / 2)
        let first = stored.uprightToStored.apply(x: left, y: top)
        let last = stored.uprightToStored.apply(x: left + shown.width, y: top + shown.height)
        func range(_ a: Double, _ b: Double, _ size: Int) -> Range<Int> {
            let begin = min(max(Int(min(a, b).rounded()), 0), size - 1)
            // Samples of colour begin at even pixels.
            let even = begin & ~1
            return even..<min(max(Int(max(a, b).rounded()), even + 1), size)
        }
        return (range(first.x, last.x, stored.storedWidth), range(first.y, last.y, stored.storedHeight))
    }
}
