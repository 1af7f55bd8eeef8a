import Flourish
import MediaIO
import Platform
import Studio

/// Converts the pictures of the real camera, draws reactions on them, and delivers them to the readers of our camera.
///
/// Used by the run's thread.
final class CameraStage {
    private let processor: ReactionProcessor
    private let pool = FramePool()
    private let card: StillCard
    /// Our pictures: planar Y′CbCr, on which effects are drawn in place.
    private let pictures: ExternalFrameWrapper
    private let picture: CameraMode
    private var memory: [UInt8]
    private var cardMemory: [UInt8]
    private var showsCard = false
    private let start = MonotonicClock.seconds
    private var lastTime = -1.0
    /// Wrappers of pictures in the real camera's formats, and in the readers' formats.
    private var inputs: [CameraMode: ExternalFrameWrapper] = [:]
    private var outputs: [CameraMode: ExternalFrameWrapper] = [:]
    private var shownMode: CameraMode?

    init(_ picture: CameraMode, session: ReactionSession, observer: SessionObserver) throws(FlourishError) {
        self.picture = picture
        processor = try ReactionProcessor(
            width: picture.width, height: picture.height, session: session, observer: observer)
        card = try StillCard(resources: session.resources)
        pictures = try Self.pictures("yuv420p", picture, pool)
        memory = [UInt8](repeating: 0, count: processor.packedSize)
        cardMemory = memory
    }

    /// The modes that readers may choose.
    var modes: [CameraMode] {
        CameraFormat.offered.map { CameraMode($0, width: picture.width, height: picture.height, rate: picture.rate) }
    }

    /// Draws the effects on a picture and delivers it.
    ///
    /// - Parameters:
    ///   - captured: The picture. It is not changed, but its memory must not be shared, or it would be copied.
    ///   - time: Seconds of the monotonic clock.
    func show(_ captured: inout CapturedPicture, at time: Double, to output: CameraStream) throws(FlourishError) {
        try convert(&captured)
        showsCard = false
        // Times must increase, also if two pictures arrive at once.
        lastTime = max(time - start, lastTime + 1e-6)
        try processor.process(&memory, at: lastTime)
        try deliver(&memory, to: output)
    }

    /// Prepares a card with a text, which is shown until the next picture.
    func write(_ text: String) throws(FlourishError) {
        showsCard = true
        do {
            unsafe try cardMemory.withUnsafeMutableBytes { bytes in
                var frame = unsafe try pictures.frame(
                    of: pictures.planes(in: bytes), time: MediaTime(seconds: 0), duration: nil)
                try card.draw(text, on: &frame)
            }
        } catch {
            throw FlourishError(describing: error)
        }
    }

    /// Delivers the card, if it is shown.
    func showCard(at time: Double, to output: CameraStream) throws(FlourishError) {
        if showsCard { try deliver(&cardMemory, to: output) }
    }

    /// Ends effects and events.
    func finish() throws(FlourishError) -> ReactionEvent.StreamSummary { try processor.finish() }

    private func convert(_ captured: inout CapturedPicture) throws(FlourishError) {
        let mode = captured.mode
        if shownMode != mode {
            // A picture of another shape leaves a border.
            fillWithBlack()
            shownMode = mode
        }
        do {
            unsafe try memory.withUnsafeMutableBytes { target in
                let planes = unsafe pictures.planes(in: target)
                guard mode.format != .mjpg else {
                    return unsafe try pictures.convert(jpeg: captured.bytes, to: pictures, planes)
                }
                let source = try inputs[mode] ?? Self.pictures(mode.format.pixelFormat ?? "", mode, pool)
                inputs[mode] = source
                unsafe try captured.bytes.withUnsafeMutableBytes { bytes in
                    unsafe try source.convert(source.planes(in: bytes), to: pictures, planes)
                }
            }
        } catch {
            throw FlourishError(describing: error)
        }
    }

    private func deliver(_ bytes: inout [UInt8], to output: CameraStream) throws(FlourishError) {
        var failure: (any Error)?
        unsafe bytes.withUnsafeMutableBytes { bytes in
            let source = unsafe pictures.planes(in: bytes)
            _ = output.deliver(at: MonotonicClock.now) { mode, planes in
                do {
                    let target = try outputs[mode] ?? Self.pictures(mode.format.pixelFormat ?? "", mode, pool)
                    outputs[mode] = target
                    unsafe try pictures.convert(source, to: target, planes)
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw FlourishError(describing: failure) }
    }

    private func fillWithBlack() {
        let luma = picture.width * picture.height
        for index in memory.indices { memory[index] = index < luma ? 16 : 128 }
    }

    private static func pictures(_ format: String, _ mode: CameraMode, _ pool: FramePool) throws(FlourishError)
        -> ExternalFrameWrapper
    {
        do {
            return try ExternalFrameWrapper(
                width: mode.width, height: mode.height, format: format, isFullRange: false, matrix: nil, pool: pool)
        } catch {
            throw FlourishError(describing: error)
        }
    }
}

extension ExternalFrameWrapper {
    /// Returns the planes of a picture whose rows and planes follow each other without gaps.
    @unsafe
    fileprivate func planes(in bytes: UnsafeMutableRawBufferPointer) -> [Plane] {
        var offset = 0
        return packedPlanes.map { size, stride in
            defer { offset += size }
            return unsafe Plane(address: bytes.baseAddress! + offset, stride: stride)
        }
    }
}
