/// A number in the file of a model that is changed before the model is loaded: in memory alone, the file stays as it is.
///
/// A `.tflite` file is a FlatBuffer (its schema: `tensorflow/compiler/mlir/lite/schema/schema.fbs`). Numbers are
/// overwritten where they stand; nothing moves.
struct ModelPatch {
    /// Where it stands in the file, in bytes.
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
