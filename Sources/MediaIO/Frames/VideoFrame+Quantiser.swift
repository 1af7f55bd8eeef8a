internal import CFFmpeg
internal import Raster

extension VideoFrame {
    /// The mean quantiser with which the source coded this picture, 0…51; nil where the decoder was not asked, or
    /// cannot tell, and for other codecs than H.264, whose quantisers are on scales of their own.
    ///
    /// The scale is that of 8 bits a sample, as encoders' qualities are; FFmpeg adds 6 for each bit more.
    ///
    /// `AVVideoEncParams`
    package var quantiser: Double? {
        guard let data = unsafe av_frame_get_side_data(av, AV_FRAME_DATA_VIDEO_ENC_PARAMS),
            unsafe data.pointee.size >= MemoryLayout<AVVideoEncParams>.size
        else { return nil }
        let bytes = unsafe UnsafeRawPointer(data.pointee.data!)
        let parameters = unsafe bytes.loadUnaligned(as: AVVideoEncParams.self)
        guard parameters.type == AV_VIDEO_ENC_PARAMS_H264 else { return nil }
        let base = Double(parameters.qp) - 6 * Double(pictureFormat.bitDepth - 8)
        guard parameters.nb_blocks > 0 else { return base }
        var (sum, area) = (0.0, 0.0)
        for index in 0..<Int(parameters.nb_blocks) {
            let place = parameters.blocks_offset + index * parameters.block_size
            let block = unsafe bytes.loadUnaligned(fromByteOffset: place, as: AVVideoBlockParams.self)
            let size = Double(block.w) * Double(block.h)
            sum += Double(block.delta_qp) * size
            area += size
        }
        return area > 0 ? base + sum / area : base
    }
}
