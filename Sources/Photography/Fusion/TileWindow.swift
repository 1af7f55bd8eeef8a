/// The weights with which a tile's samples count in the picture: a raised cosine across and down, so that tiles that lie
/// half over each other sum to 1.
@safe
final class TileWindow {
    let width, height: Int
    /// Row after row, in steps of 2⁻¹⁶.
    let weights: UnsafeMutablePointer<UInt16>

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        unsafe weights = .allocate(capacity: width * height)
        for y in 0..<height {
            for x in 0..<width {
                let weight = Self.cosine(x, width) * Self.cosine(y, height) * 65536
                unsafe (weights + y * width + x).initialize(to: UInt16(min(weight.rounded(), 65535)))
            }
        }
    }

    deinit { unsafe weights.deallocate() }

    /// sin²(π (k + ½) / n) for the two sizes that tiles have.
    private static func cosine(_ k: Int, _ n: Int) -> Double {
        let half = n / 2
        // The rising half of 16 is every value, that of 8 has its own.
        let sixteen = [
            0.009607359798384785, 0.08426519384872738, 0.22221488349019886, 0.40245483899193585, 0.5975451610080642,
            0.7777851165098011, 0.9157348061512727, 0.9903926402016152,
        ]
        let eight = [0.03806023374435663, 0.3086582838174551, 0.6913417161825449, 0.9619397662556434]
        let rising = k < half ? k : n - 1 - k
        return n == 16 ? sixteen[rising] : eight[rising]
    }
}
