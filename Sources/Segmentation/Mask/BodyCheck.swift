import Inference
import Raster

/// Has some frames examined for bodies, and remembers what was denied.
///
/// The answer counts from a fixed time after the frame on, so that masks do not depend on how fast the machine is; by then
/// it is there, as a rule, and else it is waited for.
final class BodyCheck {
    /// Seconds from a frame to when what is known of it counts.
    private static let patience = 0.2
    /// Seconds by which a frame that has enough to do puts the question off.
    private static let delay = 0.3

    private let examiner: any BodyExamining
    private var doubt: MaskDoubt
    /// When the frame was shown that is being examined.
    private var asked: Double?
    /// Whether the answer to what was asked is of no use any more.
    private var isStale = false
    /// The luma of what was asked about, and what was denied last.
    private var guide, denied: [Float]

    init(_ examiner: any BodyExamining, width: Int, height: Int) {
        self.examiner = examiner
        doubt = MaskDoubt(.bodies, width: width, height: height)
        guide = [Float](repeating: 0, count: width * height)
        denied = guide
    }

    /// Begins anew: what was seen before has gone.
    func forget() {
        doubt.forget()
        isStale = asked != nil
    }

    /// Has a frame examined, if it is time and nothing else is being examined.
    /// - Parameters:
    ///   - confidence: what the model says of it, or of one just before, 0…1.
    ///   - luma: of the picture that the model saw, 0…1.
    ///   - isLate: whether to do so only where it should have been done long since.
    /// - Returns: whether that was done.
    @discardableResult
    func ask(
        about picture: borrowing Picture, _ geometry: DisplayGeometry, _ confidence: [Float], _ luma: [Float],
        at time: Double, stretch: Double, isLate: Bool = false
    ) -> Bool {
        guard asked == nil, doubt.isDue(at: isLate ? time - Self.delay : time, stretch: stretch) else { return false }
        examiner.ask(about: picture, geometry: geometry, confidence: confidence)
        guide.refill(from: luma)
        asked = time
        isStale = false
        return true
    }

    /// Notes what was found in the frame that was asked about, once it counts.
    /// - Parameter time: the current frame's time in seconds.
    func collect(at time: Double) throws(InferenceError) {
        guard let asked, time < asked || time - asked >= Self.patience - 0.004 else { return }
        self.asked = nil
        try examiner.answer(into: &denied)
        if !isStale, time >= asked { doubt.note(denied, guide: guide, at: asked) }
    }

    /// Takes what is in doubt out of what counts as people; see ``MaskDoubt/withdraw(from:guide:into:)``.
    func withdraw(from confidence: [Float], guide: [Float], into result: inout [Float]) {
        doubt.withdraw(from: confidence, guide: guide, into: &result)
    }
}
