/// Returns the median; of an even number, the mean of the two in the middle.
func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

/// Returns the value that a share of all does not exceed.
func percentile(_ values: [Double], _ share: Double) -> Double {
    guard !values.isEmpty else { return .nan }
    let rank = Int((share * Double(values.count)).rounded(.up))
    return values.sorted()[max(0, min(values.count - 1, rank - 1))]
}
