/// The second step: bilinear interpolation between boxes.
extension TensorResampler {
    /// - Parameter map: from tensor pixels to boxes.
    func interpolate(
        _ grid: BoxGrid, _ map: AffineTransform, border: TensorBorder, width: Int, height: Int,
        into tensor: inout MutableSpan<Float>
    ) {
        let source = boxes.span
        let columns = grid.columns.count
        let lastX = Float(columns - 1), lastY = Float(grid.rows.count - 1)
        // Positions count boxes from the first one in use; the centre of a box is a whole number.
        let originX = Double(grid.columns.lowerBound) + 0.5
        let originY = Double(grid.rows.lowerBound) + 0.5
        // Where the picture ends, for what a bilinear kernel sees of the black outside.
        let left = Float(-Double(grid.columns.lowerBound)), top = Float(-Double(grid.rows.lowerBound))
        let right = left + Float(grid.pictureColumns) - 1, bottom = top + Float(grid.pictureRows) - 1
        let stepX = Float(map.a), stepY = Float(map.b)
        for j in 0..<height {
            let start = map.apply(x: 0.5, y: Double(j) + 0.5)
            let startX = Float(start.x - originX), startY = Float(start.y - originY)
            var index = j &* width &* 3
            for i in 0..<width {
                let x = startX + Float(i) * stepX, y = startY + Float(i) * stepY
                let cx = max(0, min(lastX, x)), cy = max(0, min(lastY, y))
                let x0 = Int(cx), y0 = Int(cy)
                let fx = cx - Float(x0), fy = cy - Float(y0)
                let upper = y0 &* columns
                let lower = min(y0 &+ 1, Int(lastY)) &* columns
                let x1 = min(x0 &+ 1, columns &- 1)
                let above = source[upper &+ x0] + (source[upper &+ x1] - source[upper &+ x0]) * fx
                let below = source[lower &+ x0] + (source[lower &+ x1] - source[lower &+ x0]) * fx
                var value = above + (below - above) * fy
                if border == .zero {
                    // How much of the kernel lies within the picture, each way.
                    let inX = max(0, min(1, min(x - left + 1, right + 1 - x)))
                    let inY = max(0, min(1, min(y - top + 1, bottom + 1 - y)))
                    value *= inX * inY
                }
                tensor[index] = value.x
                tensor[index &+ 1] = value.y
                tensor[index &+ 2] = value.z
                index &+= 3
            }
        }
    }
}
