import Flourish
import MediaIO
import Platform

/// Converts pictures to the format of a loopback device, and writes them.
///
/// Used by one thread at a time.
final class LoopbackDelivery {
    private let output: LoopbackOutput
    private let source: ExternalFrameWrapper
    private let target: ExternalFrameWrapper
    /// The size and stride in bytes of each plane of the device's pictures.
    private let layout: [(size: Int, stride: Int)]
    private var memory: [UInt8]

    /// Negotiates the format of a device. Readers accept YUY2 most often; the driver decides.
    ///
    /// - Parameter picture: The size and rate of the planar 4:2:0 pictures that are delivered.
    init(_ output: LoopbackOutput, _ picture: CameraMode, _ pool: FramePool) throws(FlourishError) {
        self.output = output
        source = try ExternalFrameWrapper("yuv420p", picture, pool)
        let wish = CameraFormat.yuy2
        let plane = try ExternalFrameWrapper(wish.pixelFormat ?? "", picture, pool).packedPlanes[0]
        let chosen = try output.negotiate(
            LoopbackFormat(
                code: wish.code, width: picture.width, height: picture.height, stride: plane.stride, size: plane.size),
            rate: picture)
        let format = CameraFormat.allCases.first { $0.pixelFormat != nil && $0.code == chosen.code }
        guard let format, chosen.width > 1, chosen.height > 1 else {
            throw LoopbackFault.format(output.path, chosen)
        }
        let mode = CameraMode(format, width: chosen.width, height: chosen.height, rate: picture.rate)
        target = try ExternalFrameWrapper(format.pixelFormat ?? "", mode, pool)
        let packed = target.packedPlanes
        layout = packed.map { plane in
            // The driver names the first plane's stride; those of the others are in proportion.
            let stride = plane.stride * max(chosen.stride, packed[0].stride) / packed[0].stride
            return (plane.size / plane.stride * stride, stride)
        }
        let size = layout.reduce(0) { $0 + $1.size }
        // Drivers before 0.14 round their size up to pages.
        guard size <= chosen.size else { throw LoopbackFault.format(output.path, chosen) }
        memory = [UInt8](repeating: 0, count: size)
        // The border around a picture of another shape is never written again.
        let black = try CameraPictures(mode, pool: pool)
        black.fillWithBlack()
        try convert(&black.memory, black.wrapper)
    }

    /// Shows a picture while no program reads, and reports readers from now on, as
    /// ``LoopbackOutput/start(still:readersChanged:failed:)``.
    func start(
        still: inout [UInt8], readersChanged: @escaping @Sendable (Bool) -> Void,
        failed: @escaping @Sendable (FlourishError) -> Void
    ) throws(FlourishError) {
        try convert(&still, source)
        try output.start(still: memory, readersChanged: readersChanged, failed: failed)
    }

    /// Delivers a picture, whose planes follow each other without gaps, if a program reads.
    func deliver(_ bytes: inout [UInt8]) throws(FlourishError) {
        guard output.hasReaders else { return }
        try convert(&bytes, source)
        output.show(memory)
    }

    /// Converts a picture into the device's format.
    private func convert(_ bytes: inout [UInt8], _ wrapper: ExternalFrameWrapper) throws(FlourishError) {
        do {
            unsafe try bytes.withUnsafeMutableBytes { bytes in
                unsafe try memory.withUnsafeMutableBytes { memory in
                    var offset = 0
                    let planes = layout.map { size, stride in
                        defer { offset += size }
                        return unsafe ExternalFrameWrapper.Plane(
                            address: memory.baseAddress! + offset, stride: stride)
                    }
                    unsafe try wrapper.convert(wrapper.planes(in: bytes), to: target, planes)
                }
            }
        } catch {
            throw FlourishError(describing: error)
        }
    }
}
