internal import Synchronization

/// Models that are ready, for runs that follow each other or go on side by side: each is used by one at a time, and
/// loaded only where none is free.
package final class ModelPool: Sendable {
    struct Key: Sendable, Hashable {
        var path: String
        var library: String
        var tapping: String?
        var size: InputSize?
        var threads: Int
    }

    /// A model of which nobody else knows.
    private struct Idle: @unchecked Sendable {
        let model: Model
    }

    private let idle = Mutex<[Key: [Idle]]>([:])

    /// An empty one.
    package init() {}

    fileprivate func take(_ key: Key) -> Model? {
        idle.withLock { $0[key]?.popLast() }?.model
    }

    fileprivate func giveBack(_ model: Model, _ key: Key) {
        let free = Idle(model: model)
        idle.withLock { $0[key, default: []].append(free) }
    }
}

/// A model that goes back into its pool, if it has one, when the loan is released. Whoever uses the model keeps it.
package final class ModelLoan {
    package let model: Model
    private let key: ModelPool.Key
    private let pool: ModelPool?

    /// Takes a model out of a pool, or loads it as `Model` does.
    /// - Throws: as `Model` does.
    package init(
        path: String, library: String, tapping output: String? = nil, size: InputSize? = nil, threads: Int = 1,
        from pool: ModelPool?
    ) throws(InferenceError) {
        key = ModelPool.Key(path: path, library: library, tapping: output, size: size, threads: threads)
        self.pool = pool
        if let free = pool?.take(key) {
            model = free
        } else {
            model = try Model(
                path: path, library: try InferenceLibrary(path: library), tapping: output, size: size,
                threads: threads)
        }
    }

    deinit { pool?.giveBack(model, key) }
}
