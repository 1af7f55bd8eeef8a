/// The rows and columns of the picture that a model looks at.
package struct InputSize: Sendable, Hashable {
    package var rows: Int, columns: Int

    package init(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
    }
}

/// A model of layers that all look at neighbourhoods, made to look at a picture of another size: what it costs falls with
/// the picture's area.
///
/// Its tensors of pictures get as many times the rows and columns as its input does; so do the sizes to which it
/// enlarges. Weights stay, so every place is judged as before, but for those whose surroundings the picture's edge cuts off.
@unsafe
struct ModelFit {
    /// Those that give tensors their new sizes.
    private(set) var patches: [ModelPatch] = []

    /// - Returns: `nil` where the file is no such model, or its layers' sizes cannot be divided like that.
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
            // The size to which a picture is enlarged is a constant of its own.
            guard sources.count == 2, let source = unsafe tensors.table(Int(sources[1])),
                unsafe source.number(1, as: Int8.self) == Self.int32, unsafe source.vector(0)?.indices == [2],
                let constant = unsafe buffers.table(Int(source.number(2, as: UInt32.self)))?.vector(0),
                unsafe constant.count == 8, let tall = unsafe constant.number(0), let wide = unsafe constant.number(1)
            else { continue }
            guard let newTall = rows.of(tall), let newWide = columns.of(wide) else { return nil }
            unsafe sizes[constant.place(of: 0)] = newTall
            unsafe sizes[constant.place(of: 1)] = newWide
        }
        // Tensors may have one list of sizes in common.
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
                // A list of places.
                guard let count = rows.of(sides[1], with: columns) else { return nil }
                unsafe sizes[shape.place(of: 1)] = count
            default: return nil
            }
        }
        unsafe patches = sizes.map { ModelPatch(place: $0.key, value: $0.value) }
    }

    /// The schema's number for tensors of whole numbers of 32 bits.
    private static let int32: Int8 = 2

    /// By how much one side of a picture is scaled.
    private struct Scale {
        let new: Int, old: Int

        init?(_ new: Int, of old: Int32) {
            guard new > 0, old > 0 else { return nil }
            (self.new, self.old) = (new, Int(old))
        }

        /// - Returns: `nil` where it is no whole number.
        func of(_ side: Int32) -> Int32? {
            Int(side) * new % old == 0 ? Int32(exactly: Int(side) * new / old) : nil
        }

        func of(_ count: Int32, with other: Scale) -> Int32? {
            let (new, old) = (new * other.new, old * other.old)
            return Int(count) * new % old == 0 ? Int32(exactly: Int(count) * new / old) : nil
        }
    }
}
