extension Array {
    /// The index of the first element for which something holds, in an array that is sorted so that it holds for all that
    /// follow; the end where it holds for none.
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
