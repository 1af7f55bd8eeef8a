extension RGBAImage {
    /// Returns the image at a smaller size. Each pixel is the mean of those that it covers, weighted by their opacity.
    package func reduced(width: Int, height: Int) -> RGBAImage {
        var result = RGBAImage(width: width, height: height)
        for y in 0..<height {
            let rows = y * self.height / height..<max((y + 1) * self.height / height, y * self.height / height + 1)
            for x in 0..<width {
                let left = x * self.width / width
                let columns = left..<max((x + 1) * self.width / width, left + 1)
                var (sums, alpha) = ((0, 0, 0), 0)
                for row in rows {
                    for column in columns {
                        let at = (row * self.width + column) * 4
                        let share = Int(pixels[at + 3])
                        sums.0 += Int(pixels[at]) * share
                        sums.1 += Int(pixels[at + 1]) * share
                        sums.2 += Int(pixels[at + 2]) * share
                        alpha += share
                    }
                }
                guard alpha > 0 else { continue }
                let at = (y * width + x) * 4
                result.pixels[at] = UInt8((sums.0 + alpha / 2) / alpha)
                result.pixels[at + 1] = UInt8((sums.1 + alpha / 2) / alpha)
                result.pixels[at + 2] = UInt8((sums.2 + alpha / 2) / alpha)
                let count = rows.count * columns.count
                result.pixels[at + 3] = UInt8((alpha + count / 2) / count)
            }
        }
        return result
    }
}
