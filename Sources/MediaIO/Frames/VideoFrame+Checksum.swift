internal import CFFmpeg
internal import Raster

extension VideoFrame {
    /// A hash of its samples: equal for equal pictures, whatever lies between their rows.
    package var checksum: UInt64 {
        guard let state = unsafe av_murmur3_alloc() else { return 0 }
        defer { unsafe av_free(UnsafeMutableRawPointer(state)) }
        unsafe av_murmur3_init(state)
        let format = unsafe AVPixelFormat(rawValue: av.pointee.format)
        var widths: (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        unsafe withUnsafeMutablePointer(to: &widths) { pointer in
            _ = unsafe pointer.withMemoryRebound(to: Int32.self, capacity: 4) {
                unsafe av_image_fill_linesizes($0, format, av.pointee.width)
            }
        }
        let sizes = [widths.0, widths.1, widths.2, widths.3]
        let planes = unsafe [av.pointee.data.0, av.pointee.data.1, av.pointee.data.2, av.pointee.data.3]
        let strides = unsafe [
            av.pointee.linesize.0, av.pointee.linesize.1, av.pointee.linesize.2, av.pointee.linesize.3,
        ]
        let chromaHeight = -((-Int(height)) >> pictureFormat.chroma.shiftY)
        for plane in 0..<4 {
            guard let data = unsafe planes[plane], sizes[plane] > 0 else { continue }
            for row in 0..<(plane == 1 || plane == 2 ? chromaHeight : height) {
                unsafe av_murmur3_update(state, data + row * Int(strides[plane]), Int(sizes[plane]))
            }
        }
        var digest = [UInt8](repeating: 0, count: 16)
        unsafe av_murmur3_final(state, &digest)
        return digest[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
