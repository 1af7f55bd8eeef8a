/// Binary search in sorted arrays.
extension Array {
    /// Returns the index of the first element that satisfies a predicate, or the end index if none does. The array must
    /// be sorted so that all elements after the first match satisfy the predicate, too.
    /// - Complexity: O(log n).
    package func sortedIndex(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
