import HandPose
import MediaIO

/// Looks through a recording for places where somebody may make a gesture.
///
/// It may miss none, and need not be sure of any: who finds one goes back and looks closely. So no hand is followed,
/// nothing is held, and looks at hands that mean nothing are as far apart as a hold allows.
///
/// Used by one thread at a time.
struct CoarseLooks {
    private let analyser: HandAnalyser
    private var schedule: AnalysisSchedule
    private var scene = SceneWatch()
    private(set) var stretches = CloseStretches()

    /// Whether pictures are so dark that they must be decoded with the codec's loop filter for hands to be found.
    var needsLoopFilter: Bool { scene.isDark }

    init(_ analyser: HandAnalyser) {
        self.analyser = analyser
        schedule = AnalysisSchedule(hold: analyser.hold, purpose: .scanning)
    }

    /// Looks at a frame, if its turn has come and it is worth the while.
    /// - Throws: `InferenceError`.
    mutating func look(at frame: borrowing VideoFrame, time: Double) throws {
        guard schedule.isDue(at: time) else { return }
        let change = frame.withPicture { scene.glance(at: $0) }
        guard !schedule.isCalm(at: time) || schedule.glanced(at: time, saw: change) else { return }
        if change == .arrival { analyser.expectHands() }
        analyser.note(scene.newcomers, at: time)
        let (sight, places) = try analyser.glimpse(frame, at: time)
        schedule.looked(at: time, saw: sight)
        scene.looked(foundHands: sight != .nothing, isSure: analyser.isSureOfHands)
        if sight == .gesture { stretches.add(time, places: places) }
    }
}
