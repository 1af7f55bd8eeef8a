import Flourish
import MediaIO
import Platform
import Studio

/// Converts the pictures of the real camera, draws reactions on them, and delivers them to the readers of our camera.
///
/// Used by the run's thread.
final class CameraStage: CameraSink {
    private let picture: CameraMode
    private let processor: ReactionProcessor
    private let pool = FramePool()
    private let card: StillCard
    /// Our pictures, on which effects are drawn in place.
    private let pictures: CameraPictures
    private var cardMemory: [UInt8]
    private var showsCard = false
    /// The zero of the pictures' times.
    let start = MonotonicClock.seconds
    private var lastTime = -1.0
    private let delivery: CameraDelivery

    init(_ picture: CameraMode, session: ReactionSession, observer: SessionObserver) throws(FlourishError) {
        self.picture = picture
        processor = try ReactionProcessor(
            width: picture.width, height: picture.height, session: session, observer: observer)
        card = try StillCard(resources: session.resources)
        pictures = try CameraPictures(picture, pool: pool)
        delivery = CameraDelivery(of: pictures.wrapper, picture, pool: pool)
        cardMemory = pictures.memory
    }

    /// The modes that readers may choose.
    var modes: [CameraMode] { delivery.modes }

    /// Our camera, while there is a connection to PipeWire.
    var output: CameraStream? {
        get { delivery.output }
        set { delivery.output = newValue }
    }

    /// Draws the effects on a picture and delivers it.
    func show(_ captured: inout CapturedPicture, at time: Double) throws(FlourishError) {
        try pictures.convert(&captured)
        showsCard = false
        // Times must increase, also if two pictures arrive at once.
        lastTime = max(time - start, lastTime + 1e-6)
        try processor.process(&pictures.memory, at: lastTime)
        try delivery.deliver(&pictures.memory)
    }

    /// Negotiates the format of a loopback device, shows that the camera is closed, and reports readers from now on, as
    /// ``LoopbackOutput/start(still:readersChanged:failed:)``.
    func start(
        _ output: LoopbackOutput, readersChanged: @escaping @Sendable (Bool) -> Void,
        failed: @escaping @Sendable (FlourishError) -> Void
    ) throws(FlourishError) {
        let loopback = try LoopbackDelivery(output, picture, pool)
        try draw("the camera is closed")
        try loopback.start(still: &cardMemory, readersChanged: readersChanged, failed: failed)
        delivery.loopback = loopback
    }

    func write(_ text: String) throws(FlourishError) {
        showsCard = true
        try draw(text)
    }

    private func draw(_ text: String) throws(FlourishError) {
        do {
            unsafe try cardMemory.withUnsafeMutableBytes { bytes in
                var frame = unsafe try pictures.wrapper.frame(
                    of: pictures.wrapper.planes(in: bytes), time: MediaTime(seconds: 0), duration: nil)
                try card.draw(text, on: &frame)
            }
        } catch {
            throw FlourishError(describing: error)
        }
    }

    func showCard() throws(FlourishError) {
        if showsCard { try delivery.deliver(&cardMemory) }
    }

    /// Ends effects and events.
    func finish() throws(FlourishError) -> ReactionEvent.StreamSummary { try processor.finish() }
}
