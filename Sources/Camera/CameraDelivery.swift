import Flourish
import MediaIO
import Platform

/// Delivers pictures to the readers of our camera, in the format that they chose, and to a loopback device if there is one.
///
/// Used by one thread at a time.
final class CameraDelivery {
    /// The modes that readers may choose.
    let modes: [CameraMode]
    /// Our camera, while there is a connection to PipeWire.
    var output: CameraStream?
    var loopback: LoopbackDelivery?
    private let wrapper: ExternalFrameWrapper
    private let pool: FramePool
    /// Wrappers of pictures in the readers' formats.
    private var targets: [CameraMode: ExternalFrameWrapper] = [:]

    /// - Parameters:
    ///   - wrapper: The wrapper of the pictures that are delivered.
    ///   - picture: Their size and rate.
    init(of wrapper: ExternalFrameWrapper, _ picture: CameraMode, pool: FramePool) {
        (self.wrapper, self.pool) = (wrapper, pool)
        modes = CameraFormat.offered.map {
            CameraMode($0, width: picture.width, height: picture.height, rate: picture.rate)
        }
    }

    /// Delivers a picture, whose planes follow each other without gaps.
    func deliver(_ bytes: inout [UInt8]) throws(FlourishError) {
        var failure: (any Error)?
        unsafe bytes.withUnsafeMutableBytes { bytes in
            let source = unsafe wrapper.planes(in: bytes)
            _ = output?.deliver(at: MonotonicClock.now) { mode, planes in
                do {
                    let target = try targets[mode] ?? ExternalFrameWrapper(mode.format.pixelFormat ?? "", mode, pool)
                    targets[mode] = target
                    unsafe try wrapper.convert(source, to: target, planes)
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw FlourishError(describing: failure) }
        try loopback?.deliver(&bytes)
    }
}
