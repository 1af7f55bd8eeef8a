internal import CLiteRT
import Platform
internal import Synchronization

/// A neural network that is ready to run on the CPU, through LiteRT's XNNPACK.
///
///     let model = try Model(path: "palm.tflite", library: library)
///     model.withInput("input_1") { (pixels: inout MutableSpan<Float>) in … }
///     try model.run()
///     model.withOutput("Identity") { (boxes: Span<Float>) in … }
///
/// A model keeps the bytes of its file and the memory of its tensors until it is released. It is used by one thread at
/// a time.
@safe
package final class Model {
    package let path: String
    package let inputs: [TensorDescription]
    package let outputs: [TensorDescription]

    private let handle: OpaquePointer
    private let bytes: UnsafeMutableRawBufferPointer
    private let inputTensors: [Tensor]
    private let outputTensors: [Tensor]

    /// Loads a `.tflite` file whose tensors are all float32.
    /// - Parameter threads: The number of threads, which does not change the results. Two threads save up to half of
    ///   the time, but are slower than one if the other core is busy. If the system refuses further threads, fewer do
    ///   the work.
    /// - Throws: `.modelMissing`, `.modelDamaged`, or `.failed` if LiteRT cannot prepare the model for this processor.
    init(path: String, library: InferenceLibrary, threads: Int = 1) throws(InferenceError) {
        let bytes = try unsafe mapFile(path)
        var created: OpaquePointer?
        let status = loadLock.withLock { _ in
            unsafe clitert_model_create(
                library.handle, bytes.baseAddress, bytes.count, CInt(clamping: threads), &created)
        }
        guard status == CLITERT_OK, let handle = unsafe created else {
            unsafe unmapFile(bytes)
            let code: InferenceError.Code = status == CLITERT_BAD_MODEL ? .modelDamaged : .failed
            throw InferenceError(code, path: path)
        }
        do throws(InferenceError) {
            inputTensors = try unsafe bindTensors(of: handle, output: false, path: path)
            outputTensors = try unsafe bindTensors(of: handle, output: true, path: path)
        } catch {
            unsafe clitert_model_destroy(handle)
            unsafe unmapFile(bytes)
            throw error
        }
        self.path = path
        unsafe self.handle = handle
        // The runtime has packed the weights into its own memory. Releasing the file's pages saves 8 MB for the hand
        // models.
        unsafe releasePages(of: bytes)
        unsafe self.bytes = bytes
        inputs = inputTensors.map(\.description)
        outputs = outputTensors.map(\.description)
    }

    deinit {
        unsafe clitert_model_destroy(handle)
        unsafe unmapFile(bytes)
    }

    /// Checks that the model has these tensors, so that later uses by name cannot fail.
    /// - Throws: `.modelDamaged`.
    package func require(
        inputs wantedInputs: [TensorDescription], outputs wantedOutputs: [TensorDescription]
    ) throws(InferenceError) {
        for (wanted, present) in [(wantedInputs, inputs), (wantedOutputs, outputs)] {
            for tensor in wanted
            where !present.contains(where: {
                // Leading dimensions of 1 (batches) are ignored.
                $0.name == tensor.name && $0.shape.drop { $0 == 1 } == tensor.shape.drop { $0 == 1 }
            }) {
                throw InferenceError(
                    .modelDamaged, path: path, detail: "no tensor \(tensor.name) of \(tensor.shape)")
            }
        }
    }

    /// Lends an input for writing. Its values persist from run to run.
    /// - Precondition: `inputs` contains a tensor of this name.
    func withInput<R, E: Error>(
        _ name: String, _ body: (inout MutableSpan<Float>) throws(E) -> R
    ) throws(E) -> R {
        let tensor = inputTensors.first { $0.description.name == name }
        guard let tensor else { preconditionFailure("no input \(name)") }
        var span = unsafe tensor.memory.mutableSpan
        return try body(&span)
    }

    /// Lends an output of the last run for reading.
    /// - Precondition: `outputs` contains a tensor of this name.
    func withOutput<R, E: Error>(
        _ name: String, _ body: (Span<Float>) throws(E) -> R
    ) throws(E) -> R {
        let tensor = outputTensors.first { $0.description.name == name }
        guard let tensor else { preconditionFailure("no output \(name)") }
        return try unsafe body(tensor.memory.span)
    }

    /// Computes the outputs from the inputs.
    /// - Throws: `.failed`.
    package func run() throws(InferenceError) {
        guard unsafe clitert_model_run(handle) == CLITERT_OK else {
            throw InferenceError(.failed, path: path)
        }
    }
}

/// Allocates the memory of each input (or output) of a model.
@unsafe
private func bindTensors(
    of handle: OpaquePointer, output: Bool, path: String
) throws(InferenceError) -> [Tensor] {
    var tensors: [Tensor] = []
    for index in 0..<(unsafe clitert_model_tensor_count(handle, output)) {
        let info = unsafe clitert_model_tensor(handle, output, index)
        guard unsafe info.is_float32, let name = unsafe info.name else {
            throw InferenceError(.modelDamaged, path: path, detail: "a tensor is not float32")
        }
        let dimensions = unsafe info.dimensions
        let all = [
            dimensions.0, dimensions.1, dimensions.2, dimensions.3,
            dimensions.4, dimensions.5, dimensions.6, dimensions.7,
        ]
        let shape = all.prefix(Int(unsafe info.rank)).map(Int.init)
        guard shape.allSatisfy({ $0 > 0 }) else {
            throw InferenceError(.modelDamaged, path: path, detail: "a tensor has no fixed size")
        }
        let tensor = Tensor(
            TensorDescription(name: unsafe String(cString: name), shape: shape))
        let status = unsafe clitert_model_bind(
            handle, output, index, tensor.memory.baseAddress,
            tensor.memory.count * MemoryLayout<Float>.stride)
        guard status == CLITERT_OK else { throw InferenceError(.failed, path: path) }
        tensors.append(tensor)
    }
    return tensors
}

/// The name and shape of an input or output of a model.
package struct TensorDescription: Sendable, Hashable {
    package let name: String
    /// The dimensions from the outermost to the innermost, as in NHWC.
    package let shape: [Int]

    /// The number of values.
    package var count: Int { shape.reduce(1, *) }
}

/// The memory of one input or output: floats with LiteRT's alignment.
@safe
final class Tensor {
    /// LiteRT's `LITERT_HOST_MEMORY_BUFFER_ALIGNMENT`.
    static let alignment = 64

    let description: TensorDescription
    let memory: UnsafeMutableBufferPointer<Float>

    init(_ description: TensorDescription) {
        self.description = description
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(description.count, 1) * MemoryLayout<Float>.stride,
            alignment: Self.alignment)
        unsafe memory = bytes.bindMemory(to: Float.self)
        unsafe memory.initialize(repeating: 0)
    }

    deinit { unsafe memory.deallocate() }
}

/// Maps a whole file for reading. The caller unmaps it with ``unmapFile(_:)``.
///
/// `mmap`: the memory is aligned for LiteRT, and its pages are loaded on demand.
@unsafe
private func mapFile(_ path: String) throws(InferenceError) -> UnsafeMutableRawBufferPointer {
    guard let file = unsafe fopen(path, "rb") else {
        throw InferenceError(.modelMissing, path: path, detail: unsafe String(cString: strerror(errno)))
    }
    defer { unsafe fclose(file) }
    var status = stat()
    guard unsafe fstat(fileno(file), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw InferenceError(.modelMissing, path: path, detail: "not a file")
    }
    let size = Int(status.st_size)
    guard size > 0 else { throw InferenceError(.modelDamaged, path: path, detail: "empty") }
    let start = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, fileno(file), 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else {
        throw InferenceError(.modelMissing, path: path, detail: unsafe String(cString: strerror(errno)))
    }
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: size)
}

/// Releases the memory of a mapped file; later reads load it from the file again.
///
/// `madvise` with `MADV_DONTNEED`
@unsafe
private func releasePages(of file: UnsafeMutableRawBufferPointer) {
    unsafe madvise(file.baseAddress, file.count, MADV_DONTNEED)
}

/// Unmaps a file that ``mapFile(_:)`` mapped.
@unsafe
private func unmapFile(_ file: UnsafeMutableRawBufferPointer) {
    unsafe munmap(file.baseAddress, file.count)
}

/// A lock for loading a model. While it is held, standard error of the whole process is redirected, to hide LiteRT's
/// messages.
private let loadLock = Mutex<Void>(())

/// A pool of loaded models for consecutive or parallel runs. Each model has one user at a time. A file is loaded again
/// only if all of its loaded models are in use. Threads may share the pool.
package final class ModelPool: Sendable {
    struct Key: Sendable, Hashable {
        var path: String
        var library: String
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
    package init(path: String, library: String, threads: Int = 1, from pool: ModelPool?) throws(InferenceError) {
        key = ModelPool.Key(path: path, library: library, threads: threads)
        self.pool = pool
        if let free = pool?.dequeue(key) {
            model = free
        } else {
            model = try Model(path: path, library: InferenceLibrary(path: library), threads: threads)
        }
    }

    deinit { pool?.enqueue(model, key) }
}
