internal import CLiteRT
import Platform
internal import Synchronization

/// A neural network that is ready to run: on the processor, through XNNPACK.
///
///     let model = try Model(path: "palm.tflite", library: library)
///     model.withInput("input_1") { (pixels: inout MutableSpan<Float>) in … }
///     try model.run()
///     model.withOutput("Identity") { (boxes: Span<Float>) in … }
///
/// A model keeps the bytes of its file and the memory of its tensors until it
/// is released. It is used by one thread at a time.
@safe
package final class Model {
    package let path: String
    package let inputs: [TensorDescription]
    package let outputs: [TensorDescription]
    /// The output that shows what another one would have been computed from, if one was asked for.
    package let tapped: TensorDescription?

    private let handle: OpaquePointer
    private let bytes: UnsafeMutableRawBufferPointer
    private let inputTensors: [Tensor]
    private let outputTensors: [Tensor]

    /// Loads a `.tflite` file whose tensors are all float32.
    /// - Parameter output: the name of an output, if any, that is to show what its last layer is computed from,
    ///   in place of itself: see ``tapped``.
    /// - Parameter size: what it is to look at in place of pictures of its own size: a model whose layers all look
    ///   at neighbourhoods.
    /// - Parameter threads: how many compute. The results do not depend on it. Two gain up to half of the time, and lose to
    ///   one where the other core is busy. Where the system refuses further ones, fewer do the work.
    /// - Throws: `.modelMissing`, `.modelDamaged`, or `.failed` when LiteRT
    ///   cannot prepare the model for this processor.
    package init(
        path: String, library: InferenceLibrary, tapping output: String? = nil, size: InputSize? = nil,
        threads: Int = 1
    ) throws(InferenceError) {
        let bytes = try unsafe mapFile(path)
        var patches: [ModelPatch] = []
        if let size {
            guard let fit = unsafe ModelFit(size, of: bytes) else {
                unsafe unmapFile(bytes)
                throw InferenceError(
                    .modelDamaged, path: path, detail: "not made for pictures of \(size.columns)×\(size.rows)")
            }
            patches = unsafe fit.patches
        }
        var tap: ModelTap?
        if let output {
            unsafe tap = unsafe ModelTap(output: output, of: bytes)
            guard let tap = unsafe tap else {
                unsafe unmapFile(bytes)
                throw InferenceError(.modelDamaged, path: path, detail: "no layer computes \(output)")
            }
            unsafe patches.append(tap.patch)
        }
        unsafe patches.apply(to: bytes)
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
        // The weights were packed into memory of the runtime's own: 8 MB less for the hand models.
        unsafe releasePages(of: bytes)
        // What was changed in the file's memory went with it.
        unsafe patches.apply(to: bytes)
        unsafe self.bytes = bytes
        inputs = inputTensors.map(\.description)
        outputs = outputTensors.map(\.description)
        if let tap = unsafe tap { tapped = unsafe outputTensors[tap.output].description } else { tapped = nil }
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
                // Leading ones (batches) do not matter.
                $0.name == tensor.name && $0.shape.drop { $0 == 1 } == tensor.shape.drop { $0 == 1 }
            }) {
                throw InferenceError(
                    .modelDamaged, path: path, detail: "no tensor \(tensor.name) of \(tensor.shape)")
            }
        }
    }

    /// Lends an input to be filled in. Its values stay from run to run.
    /// - Precondition: `inputs` holds the name.
    package func withInput<R, E: Error>(
        _ name: String, _ body: (inout MutableSpan<Float>) throws(E) -> R
    ) throws(E) -> R {
        let tensor = inputTensors.first { $0.description.name == name }
        guard let tensor else { preconditionFailure("no input \(name)") }
        var span = unsafe tensor.memory.mutableSpan
        return try body(&span)
    }

    /// Lends an output of the last run.
    /// - Precondition: `outputs` holds the name.
    package func withOutput<R, E: Error>(
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

/// Gives each input (or output) of a model its memory.
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
    /// From the outermost dimension to the innermost, as in NHWC.
    package let shape: [Int]

    package init(name: String, shape: [Int]) {
        self.name = name
        self.shape = shape
    }

    /// The number of values.
    package var count: Int { shape.reduce(1, *) }
}

/// The memory of one input or output: floats aligned as LiteRT asks.
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

/// Maps a whole file; what is written there stays in memory, and the caller unmaps it with ``unmapFile(_:)``.
///
/// `mmap`; its pages are aligned for LiteRT, and come and go as they are used.
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
    let start = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file), 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else {
        throw InferenceError(.modelMissing, path: path, detail: unsafe String(cString: strerror(errno)))
    }
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: size)
}

/// Gives back the memory that a mapped file takes; what is read again comes from the file.
///
/// `madvise` with `MADV_DONTNEED`
@unsafe
private func releasePages(of file: UnsafeMutableRawBufferPointer) {
    unsafe madvise(file.baseAddress, file.count, MADV_DONTNEED)
}

/// Ends what ``mapFile(_:)`` began.
@unsafe
private func unmapFile(_ file: UnsafeMutableRawBufferPointer) {
    unsafe munmap(file.baseAddress, file.count)
}

/// Held while a model is loaded: LiteRT's own messages are kept off standard
/// error meanwhile, which is one thing of the whole process.
private let loadLock = Mutex<Void>(())
