import Raster

/// A picture in memory for tests: 4:2:0, of any depth.
@safe
final class PlainPicture {
    let format: PictureFormat
    private let memory: UnsafeMutablePointer<UInt16>
    private let lumaCount, chromaCount: Int

    /// - Parameter luma: the luma codes by their position.
    init(_ format: PictureFormat, luma: (_ x: Int, _ y: Int) -> Int) {
        self.format = format
        lumaCount = format.width * format.height
        chromaCount = format.width(of: .cb) * format.height(of: .cb)
        let count = lumaCount + 2 * chromaCount
        unsafe memory = .allocate(capacity: count)
        let deep = format.bitDepth > 8
        let bytes = unsafe UnsafeMutableRawPointer(memory).assumingMemoryBound(to: UInt8.self)
        for i in 0..<count {
            let value =
                i < lumaCount
                ? luma(i % format.width, i / format.width) : 128 << (format.bitDepth - 8)
            if deep { unsafe memory[i] = UInt16(value) } else { unsafe bytes[i] = UInt8(value) }
        }
    }

    deinit { unsafe memory.deallocate() }

    func lend<R>(_ body: (borrowing Picture) throws -> R) rethrows -> R {
        let size = format.bytesPerSample
        let base = unsafe UnsafeMutableRawPointer(memory)
        let chromaStride = format.width(of: .cb) * size
        let planes: InlineArray<3, PlaneMemory> = unsafe [
            PlaneMemory(address: base, stride: format.width * size),
            PlaneMemory(address: base + lumaCount * size, stride: chromaStride),
            PlaneMemory(address: base + (lumaCount + chromaCount) * size, stride: chromaStride),
        ]
        return try unsafe body(Picture(unsafeFormat: format, planes: planes))
    }
}
