package import MediaIO
import Photography
import Platform
import Raster
import Reactions

/// Creates photographs from frames: fuses the frames, and encodes the result. It writes no file.
///
/// Used by one thread at a time. Memory is kept for the next photograph of the same format until ``trim(to:)`` is
/// called.
package final class PhotoProcessor {
    private let pool = FramePool()
    private var fusion: FrameFusion?

    package init() {}

    /// Creates a photograph.
    ///
    /// - Parameter metadata: the metadata of the file.
    /// - Throws: `MediaError`.
    package func photo(
        of moment: CapturedMoment, _ settings: PhotoSettings, metadata: StillMetadata
    ) throws -> Photo {
        let start = MonotonicClock.now
        let used = moment.limited(to: settings.photoQualityPrioritization.maxFrameCount)
        let reference = used.frames[used.reference]
        let isFused = used.frames.count > 1
        var report: FrameFusion.Report?
        let picture: VideoFrame
        if isFused {
            var target = try reference.frame.copy(pool: pool)
            report = try fuse(used, into: &target, settings)
            picture = target
        } else {
            picture = try reference.frame.shared()
        }
        let format = StillFormat(settings.processedFileType)
        let bytes: [UInt8]
        if let standard = try standardRange(of: picture, for: format) {
            bytes = try standard.stillBytes(as: format, metadata: metadata, pool: pool)
        } else {
            bytes = try picture.stillBytes(as: format, metadata: metadata, pool: pool)
        }
        let geometry = picture.geometry
        var resolved = ResolvedPhotoSettings(
            uniqueID: settings.uniqueID,
            photoQualityPrioritization: isFused ? settings.photoQualityPrioritization : .speed,
            width: Int(geometry.uprightWidth.rounded()), height: Int(geometry.uprightHeight.rounded()),
            frames: used.frames.count, processingTime: Double(MonotonicClock.now - start) / 1e9)
        (resolved.noise, resolved.noiseLeft, resolved.moving) = (report?.noise, report?.noiseLeft, report?.moving)
        return Photo(fileDataRepresentation: bytes, time: picture.time.seconds, resolvedSettings: resolved)
    }

    /// Returns the tone-mapped picture if the file format needs it, otherwise `nil`.
    private func standardRange(of picture: borrowing VideoFrame, for format: StillFormat) throws -> VideoFrame? {
        let source = picture.pictureFormat
        if source.transfer == .sdr || format.holdsHighDynamicRange || source.bitDepth == 8 { return nil }
        var result = try VideoFrame(
            format: StandardRange.format(for: source), time: picture.time, duration: picture.duration,
            orientation: picture.orientation, pool: pool)
        result.sampleAspectRatio = picture.sampleAspectRatio
        try result.withMutablePicture(pool: pool) { target in
            picture.withPicture { StandardRange(source).tone($0, into: &target) }
        }
        return result
    }

    /// Reserves memory for photographs with this number of frames, and releases memory for more.
    func prepare(_ format: PictureFormat, frames: Int) {
        trim(to: frames)
        guard frames > 0 else { return }
        if fusion?.format != format { fusion = FrameFusion(format: format) }
        fusion?.reserve(frames)
    }

    /// Releases the memory of frames beyond this number.
    package func trim(to count: Int) {
        if count == 0 { fusion = nil } else { fusion?.trim(to: count) }
    }

    /// The size of the memory that is reserved for the next photograph, in bytes.
    package var byteCount: Int { fusion?.byteCount ?? 0 }

    /// Fuses the frames of a moment into `target`, a copy of the reference.
    private func fuse(
        _ moment: CapturedMoment, into target: inout VideoFrame, _ settings: PhotoSettings
    ) throws -> FrameFusion.Report {
        var finish = settings.isFinishingEnabled ? PictureFinish() : .unprocessed
        finish.isQuick = settings.photoQualityPrioritization < .quality
        let format = target.pictureFormat
        let fusion = self.fusion.flatMap { $0.format == format ? $0 : nil } ?? FrameFusion(format: format)
        self.fusion = fusion
        defer { fusion.removeAll() }
        for shared in moment.frames { shared.frame.withPicture { fusion.add($0) } }
        return try target.withMutablePicture(pool: pool) {
            fusion.fuse(reference: moment.reference, into: &$0, finish: finish)
        }
    }
}

extension StillFormat {
    init(_ type: PhotoFileType) {
        switch type {
        case .jpeg: self = .jpeg
        case .png: self = .png
        case .webp: self = .webp
        case .avif: self = .avif
        }
    }
}
