internal import CFFmpeg
package import Raster

/// One picture of a video, with its presentation time.
///
/// A frame has one owner: it is *borrowed* for reading, used `mutating` for drawing, and *consumed* by
/// ``VideoEncoder/send(_:)``. Its pixels may be shared, for example with a decoder that uses them as a reference, and
/// are copied only for drawing: see ``withMutablePicture(pool:_:)``. The pixels are released with the frame.
///
/// `AVFrame`
package struct VideoFrame: ~Copyable, @unchecked Sendable {
    private(set) var av: FrameHandle

    /// The presentation time.
    package var time: MediaTime
    /// The duration, if the file states it.
    package var duration: MediaTime?
    package let orientation: Orientation
    package let pictureFormat: PictureFormat
    /// A type of coded picture.
    package enum CodedType: Sendable, Hashable {
        /// Decoding can begin with it.
        case key
        /// It refers to earlier pictures only.
        case predicted
    }

    /// The type that the encoder must use; nil if it may choose.
    package var requestedType: CodedType?
    /// The regions that the encoder should encode finer or coarser than the rest.
    package var regions: [QualityRegion] = []
    /// The closed captions of dropped pictures before this one, in triplets of bytes.
    package var carriedCaptions: [UInt8] = []
    /// The decoded format, if the picture was converted to a native one.
    var decodedFormat: AVPixelFormat?
    /// The loss in the conversion from ``decodedFormat``, in words such as "without transparency"; nil if there was
    /// none.
    package var loss: String? { decodedFormat.flatMap(PixelFormat.loss) }
    /// The reason why pictures with effects have another depth or chroma format than the source's; nil if both are the
    /// same.
    package var formatChange: String? { decodedFormat.flatMap(PixelFormat.change) }

    /// - Precondition: The frame is not owned elsewhere and has a native format.
    init(_ frame: consuming FrameHandle, time: MediaTime, duration: MediaTime? = nil, orientation: Orientation) {
        self.time = time
        self.duration = duration
        self.orientation = orientation
        pictureFormat = Self.describe(frame)
        av = frame
    }

    /// Creates a picture with undefined samples.
    ///
    /// - Parameter hasAlpha: Whether the picture has a plane of alpha; only with 10 bits a sample and 4:4:4.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    package init(
        format: PictureFormat, hasAlpha: Bool = false, time: MediaTime, duration: MediaTime? = nil,
        orientation: Orientation = .upright, pool: FramePool
    ) throws(MediaError) {
        let frame = try pool.makeFrame(
            width: format.width, height: format.height,
            format: hasAlpha
                ? AV_PIX_FMT_YUVA444P10LE : PixelFormat.format(bitDepth: format.bitDepth, chroma: format.chroma))
        frame.colorspace = format.matrix.avColorSpace
        frame.color_range = format.range == .full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        if format.matrix == .bt709, format.primaries == .bt709 {
            frame.color_primaries = AVCOL_PRI_BT709
            frame.color_trc = AVCOL_TRC_BT709
        }
        if format.primaries == .bt2020 { frame.color_primaries = AVCOL_PRI_BT2020 }
        switch format.transfer {
        case .pq: frame.color_trc = AVCOL_TRC_SMPTE2084
        case .hlg: frame.color_trc = AVCOL_TRC_ARIB_STD_B67
        case .sdr: break
        }
        frame.sample_aspect_ratio = AVRational(num: 1, den: 1)
        self.init(frame, time: time, duration: duration, orientation: orientation)
    }

    /// Creates a frame that has a time, but no picture. It must not be read or drawn on.
    /// - throws: ``MediaError`` of the code `internal` if there is no memory.
    package init(undecoded video: VideoStreamInfo, time: MediaTime, duration: MediaTime?) throws(MediaError) {
        let frame = try FrameHandle.empty(width: video.width, height: video.height, format: AV_PIX_FMT_YUV420P)
        frame.sample_aspect_ratio = video.sampleAspectRatio.avRational
        self.init(frame, time: time, duration: duration, orientation: video.orientation)
    }

    package var width: Int { pictureFormat.width }
    package var height: Int { pictureFormat.height }

    /// True if the frame has a picture.
    package var hasPicture: Bool { unsafe av.buf.0 != nil }

    /// True if the source coded this picture without references.
    package var isKeyFrame: Bool { av.isKeyFrame }

    /// True if the decoder concealed missing or damaged parts of the picture.
    package var isDamaged: Bool { av.decode_error_flags != 0 || av.flags & AV_FRAME_FLAG_CORRUPT != 0 }

    /// True if the picture consists of two fields of different times.
    package var isInterlaced: Bool { av.isInterlaced }

    /// True if the picture is shown longer than its rate states, by repeating fields.
    package var repeatsFields: Bool { av.repeat_pict > 0 }

    /// The width of a pixel divided by its height.
    package var sampleAspectRatio: Rational {
        get {
            let ratio = Rational(av.sample_aspect_ratio)
            return ratio.isPositive ? ratio : Rational(1, 1)
        }
        set { av.sample_aspect_ratio = newValue.avRational }
    }

    package var geometry: DisplayGeometry {
        DisplayGeometry(
            storedWidth: width, storedHeight: height, sampleAspectRatio: sampleAspectRatio.value,
            orientation: orientation)
    }

    /// True if ``withMutablePicture(pool:_:)`` draws in place.
    package var isWritable: Bool { av.isWritable }

    /// Returns another frame that shares the pixels. Drawing on either frame copies them first.
    package borrowing func shared() throws(MediaError) -> VideoFrame {
        VideoFrame(try av.shared(), time: time, duration: duration, orientation: orientation)
    }

    /// Returns another frame with a copy of the pixels.
    package borrowing func copy(pool: FramePool) throws(MediaError) -> VideoFrame {
        var copy = try shared()
        try copy.makeWritable(pool: pool)
        return copy
    }

    /// Makes the frame the only owner of its pixels, by copying shared ones.
    package mutating func makeWritable(pool: FramePool) throws(MediaError) {
        if isWritable { return }
        let copy = try pool.makeFrame(width: width, height: height, format: av.pixelFormat)
        pool.countCopy()
        copy.copySamples(of: av)
        try copy.copyProperties(of: av)
        av = copy
    }

    /// Gets memory of its own, with undefined samples.
    mutating func makeBlank(pool: FramePool) throws(MediaError) {
        let blank = try pool.makeFrame(width: width, height: height, format: av.pixelFormat)
        try blank.copyProperties(of: av)
        av = blank
    }

    /// Returns the same frame with an upright orientation.
    consuming func asUpright() -> VideoFrame {
        av.removeSideData(AV_FRAME_DATA_DISPLAYMATRIX)
        return VideoFrame(av, time: time, duration: duration, orientation: .upright)
    }

    private static func describe(_ frame: borrowing FrameHandle) -> PictureFormat {
        let format = frame.pixelFormat
        guard let native = PixelFormat.native(format) ?? PixelFormat.transparent(format) else {
            preconditionFailure("a frame must be converted to a native format first")
        }
        let isFull = native.isAlwaysFullRange || frame.color_range == AVCOL_RANGE_JPEG
        let matrix = ColourMatrix(frame.colorspace, height: Int(frame.height))
        return PictureFormat(
            width: Int(frame.width), height: Int(frame.height), bitDepth: native.bitDepth, chroma: native.chroma,
            matrix: matrix, range: isFull ? .full : .limited, transfer: TransferFunction(frame.color_trc),
            primaries: ColourPrimaries(frame.color_primaries, matrix: matrix))
    }
}

/// A part of a picture that is encoded at a higher or lower quality than the rest.
package struct QualityRegion: Sendable, Hashable {
    /// The columns and rows of the part, in pixels of the stored picture.
    package var columns: Range<Int>
    package var rows: Range<Int>
    /// The offset in steps of the quantiser; negative is finer.
    package var quantiserOffset: Double

    package init(columns: Range<Int>, rows: Range<Int>, quantiserOffset: Double) {
        self.columns = columns
        self.rows = rows
        self.quantiserOffset = quantiserOffset
    }
}

extension VideoFrame {
    /// Attaches a message that the encoder writes into the stream with this picture. The message replaces an earlier
    /// message of the picture; see ``VideoEncoderSettings/embedsMessages``.
    ///
    /// - Parameters:
    ///   - uuid: The kind of the message, 16 bytes.
    ///   - message: The message; nil for none.
    ///
    /// `AV_FRAME_DATA_SEI_UNREGISTERED`
    package mutating func embed(_ message: [UInt8]?, uuid: [UInt8]) throws(MediaError) {
        av.removeSideData(AV_FRAME_DATA_SEI_UNREGISTERED)
        if let message { try av.addSideData(AV_FRAME_DATA_SEI_UNREGISTERED, uuid + message) }
    }
}

extension VideoFrame {
    /// The mean quantiser of this picture in the source, 0…51. It is nil if the decoder was not configured to export
    /// it, or cannot. It is also nil for codecs other than H.264, whose scales differ.
    ///
    /// The scale is that of 8 bits a sample, as in encoders' qualities; FFmpeg adds 6 for each further bit.
    ///
    /// `AVVideoEncParams`
    package var quantiser: Double? {
        guard let data = av.sideData(AV_FRAME_DATA_VIDEO_ENC_PARAMS), data.count >= MemoryLayout<AVVideoEncParams>.size
        else { return nil }
        func load<Value: BitwiseCopyable>(_: Value.Type, at offset: Int = 0) -> Value {
            unsafe data.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
        }
        let parameters = load(AVVideoEncParams.self)
        guard parameters.type == AV_VIDEO_ENC_PARAMS_H264 else { return nil }
        let base = Double(parameters.qp) - 6 * Double(pictureFormat.bitDepth - 8)
        guard parameters.nb_blocks > 0 else { return base }
        var (sum, area) = (0.0, 0.0)
        for index in 0..<Int(parameters.nb_blocks) {
            let block = load(
                AVVideoBlockParams.self, at: parameters.blocks_offset + index * parameters.block_size)
            let size = Double(block.w) * Double(block.h)
            sum += Double(block.delta_qp) * size
            area += size
        }
        return area > 0 ? base + sum / area : base
    }
}

extension VideoFrame {
    /// A hash of the samples, which does not depend on the bytes between rows.
    package var checksum: UInt64 {
        guard let state = unsafe av_murmur3_alloc() else { return 0 }
        defer { unsafe av_free(UnsafeMutableRawPointer(state)) }
        unsafe av_murmur3_init(state)
        var lengths = [Int32](repeating: 0, count: 4)
        unsafe av_image_fill_linesizes(&lengths, av.pixelFormat, av.width)
        let chromaHeight = -((-Int(height)) >> pictureFormat.chroma.shiftY)
        for plane in 0..<4 where lengths[plane] > 0 {
            guard let data = unsafe av.plane(plane) else { continue }
            for row in 0..<(plane == 1 || plane == 2 ? chromaHeight : height) {
                unsafe av_murmur3_update(state, data + row * av.stride(plane), Int(lengths[plane]))
            }
        }
        var digest = [UInt8](repeating: 0, count: 16)
        unsafe av_murmur3_final(state, &digest)
        return digest[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
