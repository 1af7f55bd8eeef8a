extension Comparable {
    /// Returns the nearest value within limits.
    @inlinable
    package func clamped(to limits: ClosedRange<Self>) -> Self {
        min(max(self, limits.lowerBound), limits.upperBound)
    }
}
