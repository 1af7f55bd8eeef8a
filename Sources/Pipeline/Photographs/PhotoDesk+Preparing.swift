import MediaIO
import Photography
import Platform
import Raster
import Reactions
import Synchronization

/// What is known before a photograph is asked for.
extension PhotoDesk {
    /// Whether fusion would make photographs visibly better, for the quality that is monitored.
    package var isFusionScene: Bool {
        state.withLock { state in
            let quality = state.run?.options.photoSettingsForSceneMonitoring?.photoQualityPrioritization
            return (state.scene?.reading.noise ?? 0) >= Self.noisy && quality ?? .speed > .speed
        }
    }

    /// Whether there is too little light for a good photograph, whatever is done.
    package var isDarkScene: Bool { state.withLock { $0.scene.map { $0.reading.brightness < Self.dark } ?? false } }

    /// What there is room for.
    package var prepared: [PhotoSettings] { state.withLock { $0.prepared ?? [PhotoSettings()] } }

    /// Makes room for photographs, once there is a frame that says how much that is; gives back what others held.
    ///
    /// - Parameter completion: told whether that was done, or another call came before.
    package func prepare(_ settings: [PhotoSettings], completion: @escaping @Sendable (Bool) -> Void) {
        let replaced = state.withLock { state in
            defer { (state.prepared, state.preparing) = (settings, completion) }
            return state.preparing
        }
        replaced?(false)
        prepare()
    }

    /// Makes room, where somebody waits for it and it is known how much.
    func prepare() {
        let job = state.withLock { state -> Job? in
            guard let completion = state.preparing, let format = state.ring.frames.last?.frame.pictureFormat else {
                return nil
            }
            state.preparing = nil
            return .prepare(format, Self.frames(state.prepared), completion)
        }
        guard let job, queue.value?.sendUnlessFinished(job) != true, case .prepare(_, _, let completion) = job else {
            return
        }
        completion(false)
    }

    /// How many frames are kept room for; nil where nobody has said.
    var mostPrepared: Int? {
        state.withLock { $0.prepared == nil ? nil : Self.frames($0.prepared) }
    }

    private static func frames(_ settings: [PhotoSettings]?) -> Int {
        (settings ?? []).map(\.photoQualityPrioritization.maxFrameCount).filter { $0 > 1 }.max() ?? 0
    }
}
