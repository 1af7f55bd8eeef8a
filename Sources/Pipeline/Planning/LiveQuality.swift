import MediaIO
import RateControl
import Reactions
import Synchronization

/// Decides what a live run omits while the machine is too slow.
///
/// The drawing thread updates it; other threads read the values that concern them.
package final class LiveQuality: Sendable {
    /// The working time that the stages report.
    package let load = StageLoad()
    /// True if the frame rate may be lowered as well.
    private let dropsFrames: Bool
    private let ladder = Mutex(QualityLadder())

    /// - Parameter dropsFrames: `false` for a run whose frames are dropped elsewhere.
    package init(dropsFrames: Bool = true) { self.dropsFrames = dropsFrames }

    private var level: QualityLadder.Level { ladder.withLock { $0.level } }

    /// Advances to a frame.
    /// - Returns: the change of the level before that frame, if any.
    func advance(to time: Double) -> QualityLadder.Step? {
        let busy = load.seconds
        return ladder.withLock { $0.observe(time: time, busy: busy) }
    }

    /// The current level, and the load that led to it.
    package var state: SessionQuality {
        ladder.withLock { ladder in
            SessionQuality(
                level: "\(ladder.level)",
                lowered: QualityLadder.Level.allCases.filter { $0 > .full && $0 <= ladder.level }.map { "\($0)" },
                load: ladder.busiest?.load, busiestStage: ladder.busiest.map { StageLoad.names[$0.stage] })
        }
    }

    /// The factor by which the interval between detections of hands is longer than usual.
    package var analysisIntervalScale: Double { level >= .analysis ? 2 : 1 }
    /// The factor by which the interval between segmentations of people is longer than usual.
    var maskIntervalScale: Double { level >= .mask ? 2 : 1 }
    /// The share of an effect's pieces that is drawn.
    var detail: Double { level >= .detail ? 0.5 : 1 }
    /// The times at which every second frame is dropped.
    var halving: FrameThinning.Halving {
        !dropsFrames ? .never : level >= .frameRate ? .always : level >= .effectFrameRate ? .duringEffects : .never
    }
}
