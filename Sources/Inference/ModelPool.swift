internal import CLiteRT
import Platform
internal import Synchronization

/// A pool of loaded models for consecutive or parallel runs. Each model has one user at a time. A file is loaded again
/// only if all of its loaded models are in use. Threads may share the pool.
package final class ModelPool: Sendable {
    struct Key: Sendable, Hashable {
        var path: String
        var library: String
        var tapping: String?
        var size: InputSize?
        var threads: Int
    }

    /// A model without a user.
    private struct Idle: @unchecked Sendable {
        let model: Model
    }

    private let idle = Mutex<[Key: [Idle]]>([:])

    /// Creates an empty pool.
    package init() {}

    fileprivate func dequeue(_ key: Key) -> Model? {
        idle.withLock { $0[key]?.popLast() }?.model
    }

    fileprivate func enqueue(_ model: Model, _ key: Key) {
        let free = Idle(model: model)
        idle.withLock { $0[key, default: []].append(free) }
    }
}

/// A model that returns to its pool, if it has one, when the lease is released. Users of the model keep the lease.
package final class ModelLease {
    package let model: Model
    private let key: ModelPool.Key
    private let pool: ModelPool?

    /// Acquires a model from a pool, or loads it.
    /// - Throws: The errors of loading a `Model`.
    package init(
        path: String, library: String, tapping output: String? = nil, size: InputSize? = nil, threads: Int = 1,
        from pool: ModelPool?
    ) throws(InferenceError) {
        key = ModelPool.Key(path: path, library: library, tapping: output, size: size, threads: threads)
        self.pool = pool
        if let free = pool?.dequeue(key) {
            model = free
        } else {
            model = try Model(
                path: path, library: try InferenceLibrary(path: library), tapping: output, size: size,
                threads: threads)
        }
    }

    deinit { pool?.enqueue(model, key) }
}
