import Flourish
import MediaIO

/// Converts a camera's pictures to planar 4:2:0 Y′CbCr of one size.
///
/// Used by one thread at a time.
final class CameraPictures {
    let wrapper: ExternalFrameWrapper
    /// The last picture: its planes one after the other, without gaps.
    var memory: [UInt8]
    private let mode: CameraMode
    private let pool: FramePool
    /// Wrappers of pictures in the camera's formats.
    private var inputs: [CameraMode: ExternalFrameWrapper] = [:]
    private var shownMode: CameraMode?

    init(_ mode: CameraMode, pool: FramePool) throws(FlourishError) {
        (self.mode, self.pool) = (mode, pool)
        wrapper = try ExternalFrameWrapper("yuv420p", mode, pool)
        memory = [UInt8](repeating: 0, count: wrapper.packedPlanes.reduce(0) { $0 + $1.size })
    }

    /// Converts a picture into ``memory``.
    ///
    /// - Parameter captured: The picture. It is not changed, but its memory must not be shared, or it would be copied.
    func convert(_ captured: inout CapturedPicture) throws(FlourishError) {
        let mode = captured.mode
        if shownMode != mode {
            // A picture of another shape leaves a border.
            fillWithBlack()
            shownMode = mode
        }
        do {
            unsafe try memory.withUnsafeMutableBytes { target in
                let planes = unsafe wrapper.planes(in: target)
                guard let format = mode.format.pixelFormat else {
                    return unsafe try wrapper.convert(jpeg: captured.bytes, to: wrapper, planes)
                }
                let source = try inputs[mode] ?? ExternalFrameWrapper(format, mode, pool)
                inputs[mode] = source
                unsafe try captured.bytes.withUnsafeMutableBytes { bytes in
                    unsafe try source.convert(source.planes(in: bytes), to: wrapper, planes)
                }
            }
        } catch {
            throw FlourishError(describing: error)
        }
    }

    func fillWithBlack() {
        let luma = mode.width * mode.height
        for index in memory.indices { memory[index] = index < luma ? 16 : 128 }
    }
}

extension ExternalFrameWrapper {
    convenience init(_ format: String, _ mode: CameraMode, _ pool: FramePool) throws(FlourishError) {
        do {
            try self.init(
                width: mode.width, height: mode.height, format: format, isFullRange: false, matrix: nil, pool: pool)
        } catch {
            throw FlourishError(describing: error)
        }
    }

    /// Returns the planes of a picture whose rows and planes follow each other without gaps.
    @unsafe
    func planes(in bytes: UnsafeMutableRawBufferPointer) -> [Plane] {
        var offset = 0
        return packedPlanes.map { size, stride in
            defer { offset += size }
            return unsafe Plane(address: bytes.baseAddress! + offset, stride: stride)
        }
    }
}
