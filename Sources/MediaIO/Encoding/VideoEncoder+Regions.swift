internal import CFFmpeg

extension VideoEncoder {
    /// Encoders that heed regions: libx264 and libx265, with adaptive quantisation on.
    package static func heedsRegions(_ codec: VideoCodec) -> Bool { codec == .h264 || codec == .hevc }

    /// What a frame without regions is handed on with.
    ///
    /// libx265 takes memory for regions with the first frames, if these bear any, and writes those of later frames there
    /// without a look: where the first bore none, the program dies (`Frame::create` and `Encoder::encode` in x265 3.5).
    func neutralRegions(_ frame: borrowing VideoFrame) -> [QualityRegion] {
        guard settings.usesRegions, settings.codec == .hevc else { return [] }
        return [QualityRegion(columns: 0..<frame.width, rows: 0..<frame.height, quantiserOffset: 0)]
    }

    /// Hands regions on with a frame.
    ///
    /// `AV_FRAME_DATA_REGIONS_OF_INTEREST`
    @unsafe
    func attach(_ regions: [QualityRegion], to frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) {
        guard !regions.isEmpty else { return }
        let size = MemoryLayout<AVRegionOfInterest>.stride
        guard
            let data = unsafe av_frame_new_side_data(
                frame, AV_FRAME_DATA_REGIONS_OF_INTEREST, size * regions.count)
        else { throw .outOfMemory(path) }
        for (index, region) in regions.enumerated() {
            let place = unsafe UnsafeMutableRawPointer(data.pointee.data) + index * size
            // FFmpeg counts in shares of the range of quantisers, 0…51.
            let offset = Int32((region.quantiserOffset * 100).rounded())
            unsafe place.storeBytes(
                of: AVRegionOfInterest(
                    self_size: UInt32(size), top: Int32(region.rows.lowerBound), bottom: Int32(region.rows.upperBound),
                    left: Int32(region.columns.lowerBound), right: Int32(region.columns.upperBound),
                    qoffset: AVRational(num: offset, den: 5100)),
                as: AVRegionOfInterest.self)
        }
    }
}
