import Platform
import Reactions
import Synchronization
package import Vision

/// The resources that consecutive or concurrent runs of one process share: models, weights, drawings and cores. Any
/// thread may use it.
package final class SharedResources: Sendable {
    package let models = ModelPool()
    package let drawings = SpriteDrawings()
    private let weights = Mutex<Weights?>(nil)
    private let bodies = Mutex<PoseExaminer?>(nil)
    /// A semaphore: the channel contains one element for each scan of a part of a recording in progress.
    private let places: Channel<Bool>

    package struct Weights: Sendable {
        var assets: String
        package var network: GestureNetwork
        package var judge: PictureJudge
    }

    /// - Parameter cores: the number of parts of recordings that may be scanned at once.
    package init(cores: Int = Machine.cores) { places = Channel(capacity: max(1, cores)) }

    /// Runs a closure when a core is free for it.
    package func onFreeCore<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        _ = places.send(true)
        defer { _ = places.receive() }
        return try body()
    }

    /// Returns the shared pose examiner, and creates it if needed. Its model takes too much memory to be loaded for
    /// every run.
    package func poseExaminer(_ make: () throws(InferenceError) -> PoseExaminer) throws(InferenceError) -> PoseExaminer
    {
        try bodies.withLock { (examiner) throws(InferenceError) -> PoseExaminer in
            let ready = if let examiner { examiner } else { try make() }
            examiner = ready
            return ready
        }
    }

    /// Returns the weights in a folder, which are read once.
    package func weights(assets: String) throws(GestureNetworkError) -> Weights {
        if let known = weights.withLock({ $0 }), known.assets == assets { return known }
        let read = Weights(
            assets: assets, network: try GestureNetwork(assets: assets), judge: try PictureJudge(assets: assets))
        weights.withLock { $0 = read }
        return read
    }
}

extension SharedResources: Hashable {
    package static func == (one: SharedResources, other: SharedResources) -> Bool { one === other }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
