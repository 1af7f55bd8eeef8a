/// By how much each tile of a picture lies elsewhere in another one, in samples.
struct MotionField {
    /// Tiles across and down.
    let columns, rows: Int
    /// Row after row: where in the other picture, less where in this one.
    private(set) var vectors: [SIMD2<Int32>]

    init(columns: Int, rows: Int, vector: SIMD2<Int32> = .zero) {
        (self.columns, self.rows) = (columns, rows)
        vectors = [SIMD2<Int32>](repeating: vector, count: columns * rows)
    }

    /// The vector of a tile, or of the nearest one.
    @inline(__always)
    subscript(column: Int, row: Int) -> SIMD2<Int32> {
        get { vectors[min(max(row, 0), rows - 1) * columns + min(max(column, 0), columns - 1)] }
        set { vectors[row * columns + column] = newValue }
    }
}
