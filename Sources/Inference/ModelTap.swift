/// An output of a model that shows what its last layer is computed *from*: the features that the network's answers
/// have in common.
///
/// A graph lists its outputs as indices of tensors, and of those one is overwritten.
@unsafe
struct ModelTap {
    /// The number of the output.
    let output: Int
    /// Has it show another tensor.
    let patch: ModelPatch

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
                unsafe patch = ModelPatch(place: outputs.place(of: slot), value: source)
                return
            }
        }
        return nil
    }
}
