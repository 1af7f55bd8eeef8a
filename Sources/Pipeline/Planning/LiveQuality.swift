import RateControl
import Synchronization

/// What a live run leaves out while the machine is too slow for it.
///
/// Advanced by the drawing thread; others read what concerns them.
package final class LiveQuality: Sendable {
    /// The work of the stages, which they tell.
    let load = StageLoad()
    private let ladder = Mutex(LoadLadder())

    private var rung: LoadLadder.Rung { ladder.withLock { $0.rung } }

    /// Takes a frame.
    /// - Returns: the step to take before it, if any.
    func advance(to time: Double) -> LoadLadder.Step? {
        let busy = load.seconds
        return ladder.withLock { $0.observe(time: time, busy: busy) }
    }

    /// What is left out now, and why.
    var state: SessionQuality {
        ladder.withLock { ladder in
            SessionQuality(
                rung: "\(ladder.rung)",
                lowered: LoadLadder.Rung.allCases.filter { $0 > .full && $0 <= ladder.rung }.map { "\($0)" },
                load: ladder.busiest?.load, busiestStage: ladder.busiest.map { StageLoad.names[$0.stage] })
        }
    }

    /// By how much looks for hands are further apart than usual.
    var analysisStretch: Double { rung >= .analysis ? 2 : 1 }
    /// By how much looks for people are further apart than usual.
    var maskStretch: Double { rung >= .mask ? 2 : 1 }
    /// The share of an effect's pieces that is drawn.
    var detail: Double { rung >= .detail ? 0.5 : 1 }
    /// When every second frame is left out.
    var halving: FrameThinning.Halving {
        rung >= .frameRate ? .always : rung >= .effectFrameRate ? .duringEffects : .never
    }
}
