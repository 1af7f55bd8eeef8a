/// A number in a model's file that is changed in memory before the model is loaded.
///
/// A `.tflite` file is a FlatBuffer (its schema: `tensorflow/compiler/mlir/lite/schema/schema.fbs`). Numbers are
/// overwritten in place; nothing moves.
struct ModelPatch {
    /// The offset in the file, in bytes.
    let place: Int
    let value: Int32
}

extension [ModelPatch] {
    func apply(to file: UnsafeMutableRawBufferPointer) {
        for patch in self {
            unsafe file.storeBytes(of: patch.value.littleEndian, toByteOffset: patch.place, as: Int32.self)
        }
    }
}

/// The rows and columns of a model's input picture.
package struct InputSize: Sendable, Hashable {
    package var rows: Int, columns: Int

    package init(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
    }
}

/// The patches that give a fully convolutional model another input size. The cost of the model is proportional to the
/// picture's area.
///
/// The sizes of all tensors that are computed from the input are scaled like the input, as are the target sizes of
/// layers that enlarge pictures. Weights are kept, so equal surroundings give equal results at every place, except near
/// the edges of the picture.
@unsafe
struct ModelFit {
    /// The patches of tensor sizes.
    private(set) var patches: [ModelPatch] = []

    /// - Returns: `nil` if the file is not a fully convolutional model, or a scaled size would not be an integer.
    init?(_ size: InputSize, of file: UnsafeMutableRawBufferPointer) {
        let model = unsafe FlatTable(file, root: 0)
        guard let graph = unsafe model?.vector(2)?.table(0), let buffers = unsafe model?.vector(4),
            let tensors = unsafe graph.vector(0), let layers = unsafe graph.vector(3),
            let input = unsafe graph.vector(1)?.index(0),
            let shape = unsafe tensors.table(Int(input))?.vector(0)?.indices, shape.count == 4,
            let rows = Scale(size.rows, of: shape[1]), let columns = Scale(size.columns, of: shape[2])
        else { return nil }
        var computed: Set = [input]
        var sizes: [Int: Int32] = [:]
        for number in 0..<(unsafe layers.count) {
            guard let layer = unsafe layers.table(number), let sources = unsafe layer.vector(1)?.indices,
                let results = unsafe layer.vector(2)?.indices
            else { return nil }
            guard sources.contains(where: computed.contains) else { continue }
            computed.formUnion(results)
            // A layer that enlarges a picture reads the target size from a constant tensor of two integers.
            guard sources.count == 2, let source = unsafe tensors.table(Int(sources[1])),
                unsafe source.number(1, as: Int8.self) == Self.int32, unsafe source.vector(0)?.indices == [2],
                let constant = unsafe buffers.table(Int(source.number(2, as: UInt32.self)))?.vector(0),
                unsafe constant.count == 8, let tall = unsafe constant.number(0), let wide = unsafe constant.number(1)
            else { continue }
            guard let newTall = rows.of(tall), let newWide = columns.of(wide) else { return nil }
            unsafe sizes[constant.place(of: 0)] = newTall
            unsafe sizes[constant.place(of: 1)] = newWide
        }
        // Tensors may share a list of dimensions in the file. The lists of constant tensors must not change.
        var fixed: Set<Int> = []
        for number in 0..<(unsafe tensors.count) where !computed.contains(Int32(number)) {
            if let shape = unsafe tensors.table(number)?.vector(0) { unsafe fixed.insert(shape.place(of: 0)) }
        }
        for number in computed {
            guard let shape = unsafe tensors.table(Int(number))?.vector(0), unsafe !fixed.contains(shape.place(of: 0))
            else { return nil }
            switch unsafe shape.indices {
            case let sides where sides.count == 4:
                guard let tall = rows.of(sides[1]), let wide = columns.of(sides[2]) else { return nil }
                unsafe sizes[shape.place(of: 1)] = tall
                unsafe sizes[shape.place(of: 2)] = wide
            case let sides where sides.count == 3:
                // A list with entries for each place of a picture, such as candidate boxes.
                guard let count = rows.of(sides[1], with: columns) else { return nil }
                unsafe sizes[shape.place(of: 1)] = count
            default: return nil
            }
        }
        unsafe patches = sizes.map { ModelPatch(place: $0.key, value: $0.value) }
    }

    /// The schema's number for tensors of 32-bit integers.
    private static let int32: Int8 = 2

    /// The scale of one side of a picture.
    private struct Scale {
        let new: Int, old: Int

        init?(_ new: Int, of old: Int32) {
            guard new > 0, old > 0 else { return nil }
            (self.new, self.old) = (new, Int(old))
        }

        /// - Returns: `nil` if the result is not an integer.
        func of(_ side: Int32) -> Int32? {
            Int(side) * new % old == 0 ? Int32(exactly: Int(side) * new / old) : nil
        }

        func of(_ count: Int32, with other: Scale) -> Int32? {
            let (new, old) = (new * other.new, old * other.old)
            return Int(count) * new % old == 0 ? Int32(exactly: Int(count) * new / old) : nil
        }
    }
}

/// An output of a model that returns the *input* of its last layer: the features from which all of the network's
/// outputs are computed.
///
/// A graph lists its outputs as indices of tensors. The patch overwrites one of these indices.
@unsafe
struct ModelTap {
    /// The index of the output in the graph's list.
    let output: Int
    /// The patch that makes the output return another tensor.
    let patch: ModelPatch

    /// Finds the layer whose result is the output.
    ///
    /// - Returns: `nil` if the file is not a model or has no such output, or if the output is not a layer's result.
    init?(output name: String, of file: UnsafeMutableRawBufferPointer) {
        let model = unsafe FlatTable(file, root: 0)
        guard let graph = unsafe model?.vector(2)?.table(0), let outputs = unsafe graph.vector(2),
            let tensors = unsafe graph.vector(0), let layers = unsafe graph.vector(3)
        else { return nil }
        for slot in 0..<(unsafe outputs.count) {
            guard let output = unsafe outputs.index(slot), let tensor = unsafe tensors.table(Int(output)),
                unsafe tensor.vector(3)?.text == name
            else { continue }
            for number in 0..<(unsafe layers.count) {
                guard let layer = unsafe layers.table(number), unsafe layer.vector(2)?.index(0) == output,
                    let source = unsafe layer.vector(1)?.index(0)
                else { continue }
                unsafe self.output = slot
                unsafe patch = ModelPatch(place: outputs.place(of: slot), value: source)
                return
            }
        }
        return nil
    }
}

/// A table of a FlatBuffer. Fields that refer to places outside the buffer count as missing.
@unsafe
struct FlatTable {
    let bytes: UnsafeRawBufferPointer
    let start: Int

    init?(_ bytes: UnsafeMutableRawBufferPointer, root: Int) {
        unsafe self.init(UnsafeRawBufferPointer(bytes), referredToAt: root)
    }

    init?(_ bytes: UnsafeRawBufferPointer, referredToAt place: Int) {
        guard let offset = unsafe bytes.number(at: place, as: UInt32.self) else { return nil }
        unsafe self.bytes = unsafe bytes
        unsafe start = place + Int(offset)
    }

    /// Returns the vector in the field of this number.
    func vector(_ field: Int) -> FlatVector? {
        guard let place = unsafe place(of: field) else { return nil }
        return unsafe FlatVector(bytes, referredToAt: place)
    }

    /// Returns the number in the field of this number; 0 if it is omitted.
    func number<Number: FixedWidthInteger & BitwiseCopyable>(_ field: Int, as type: Number.Type) -> Number {
        guard let place = unsafe place(of: field) else { return 0 }
        return unsafe bytes.number(at: place, as: type) ?? 0
    }

    private func place(of field: Int) -> Int? {
        guard let back = unsafe bytes.number(at: start, as: Int32.self) else { return nil }
        let fields = unsafe start - Int(back)
        guard let size = unsafe bytes.number(at: fields, as: UInt16.self), Int(size) >= 6 + 2 * field,
            let offset = unsafe bytes.number(at: fields + 4 + 2 * field, as: UInt16.self), offset > 0
        else { return nil }
        return unsafe start + Int(offset)
    }
}

/// A vector of a FlatBuffer: of indices, of tables or of bytes.
@unsafe
struct FlatVector {
    let bytes: UnsafeRawBufferPointer
    let start: Int
    let count: Int

    init?(_ bytes: UnsafeRawBufferPointer, referredToAt place: Int) {
        guard let offset = unsafe bytes.number(at: place, as: UInt32.self),
            let count = unsafe bytes.number(at: place + Int(offset), as: UInt32.self)
        else { return nil }
        unsafe self.bytes = unsafe bytes
        unsafe start = place + Int(offset) + 4
        unsafe self.count = Int(count)
        guard unsafe start + self.count <= bytes.count else { return nil }
    }

    func place(of element: Int) -> Int { unsafe start + 4 * element }

    func index(_ element: Int) -> Int32? {
        guard element >= 0, unsafe element < count else { return nil }
        return unsafe bytes.number(at: place(of: element), as: Int32.self)
    }

    /// All of the indices.
    var indices: [Int32] { (0..<(unsafe count)).compactMap { unsafe index($0) } }

    func table(_ element: Int) -> FlatTable? {
        guard element >= 0, unsafe element < count else { return nil }
        return unsafe FlatTable(bytes, referredToAt: place(of: element))
    }

    /// Returns a 32-bit integer of a vector of bytes; ``place(of:)`` returns its offset.
    func number(_ element: Int) -> Int32? {
        guard element >= 0, unsafe 4 * element + 4 <= count else { return nil }
        return unsafe bytes.number(at: place(of: element), as: Int32.self)
    }

    var text: String {
        unsafe String(decoding: bytes[start..<start + count], as: UTF8.self)
    }
}

extension UnsafeRawBufferPointer {
    /// Returns a number at an offset of the FlatBuffer; `nil` if the offset is outside.
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at place: Int, as type: Number.Type) -> Number? {
        guard place >= 0, place <= count - MemoryLayout<Number>.size else { return nil }
        return Number(littleEndian: unsafe loadUnaligned(fromByteOffset: place, as: type))
    }
}
