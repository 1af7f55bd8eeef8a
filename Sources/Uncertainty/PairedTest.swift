/// McNemar's exact test of two programs that were measured on the same samples (Q. McNemar, Psychometrika 12, 1947):
/// only samples on which they differ count.
package struct PairedTest: Sendable, Hashable {
    /// The samples on which only the first, and only the second succeeds.
    package let onlyFirst: Int
    package let onlySecond: Int

    package init(onlyFirst: Int, onlySecond: Int) {
        self.onlyFirst = onlyFirst
        self.onlySecond = onlySecond
    }

    /// Compares two programs' results on the same samples, in the same order.
    package init(_ first: [Bool], _ second: [Bool]) {
        precondition(first.count == second.count)
        let pairs = zip(first, second)
        self.init(onlyFirst: pairs.count { $0 && !$1 }, onlySecond: pairs.count { !$0 && $1 })
    }

    /// The two-sided probability of a difference at least as large, if both programs were equally good.
    package var probability: Double {
        let sum = (0...min(onlyFirst, onlySecond)).reduce(0.0) { $0 + coinTerm($1, of: onlyFirst + onlySecond) }
        return min(1, 2 * sum)
    }

    /// The probability as text, such as `p = 0.021`.
    package var text: String { probability < 0.001 ? "p < 0.001" : "p = \(rounded(probability, 3))" }
}
