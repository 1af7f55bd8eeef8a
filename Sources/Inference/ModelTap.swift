/// One number in the file of a model, changed so that an output shows what its last layer is
/// computed *from*: the features that the network's answers have in common.
///
/// A `.tflite` file is a FlatBuffer (its schema: `tensorflow/compiler/mlir/lite/schema/schema.fbs`).
/// A graph lists its outputs as indices of tensors, and of those one is overwritten; nothing moves.
@unsafe
struct ModelTap {
    /// The number of the output.
    let output: Int
    /// Where its index stands in the file, in bytes.
    let place: Int
    /// The tensor that the output shows instead.
    let tensor: Int32

    /// Finds the layer whose result is the output.
    ///
    /// - Returns: `nil` where the file is no model, has no such output, or the output is no layer's result.
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
                unsafe place = unsafe outputs.place(of: slot)
                unsafe self.tensor = source
                return
            }
        }
        return nil
    }

    /// Overwrites the index, in memory alone: the file itself stays as it is.
    func apply(to file: UnsafeMutableRawBufferPointer) {
        unsafe file.storeBytes(of: tensor.littleEndian, toByteOffset: place, as: Int32.self)
    }
}

/// A table of a FlatBuffer. What is damaged reads as missing.
@unsafe
private struct FlatTable {
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

    /// The vector that is the field of this number.
    func vector(_ field: Int) -> FlatVector? {
        guard let back = unsafe bytes.number(at: start, as: Int32.self) else { return nil }
        let fields = unsafe start - Int(back)
        guard let size = unsafe bytes.number(at: fields, as: UInt16.self), Int(size) >= 6 + 2 * field,
            let offset = unsafe bytes.number(at: fields + 4 + 2 * field, as: UInt16.self), offset > 0
        else { return nil }
        return unsafe FlatVector(bytes, referredToAt: start + Int(offset))
    }
}

/// A vector of a FlatBuffer: of indices, of tables or of characters.
@unsafe
private struct FlatVector {
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

    func table(_ element: Int) -> FlatTable? {
        guard element >= 0, unsafe element < count else { return nil }
        return unsafe FlatTable(bytes, referredToAt: place(of: element))
    }

    var text: String {
        unsafe String(decoding: bytes[start..<start + count], as: UTF8.self)
    }
}

extension UnsafeRawBufferPointer {
    /// A number of the FlatBuffer; `nil` outside of it.
    fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(at place: Int, as type: Number.Type) -> Number?
    {
        guard place >= 0, place <= count - MemoryLayout<Number>.size else { return nil }
        return Number(littleEndian: unsafe loadUnaligned(fromByteOffset: place, as: type))
    }
}
