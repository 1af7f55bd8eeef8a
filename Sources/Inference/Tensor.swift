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
