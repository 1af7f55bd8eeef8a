/// Returns a number with a fixed count of decimal places.
func rounded(_ value: Double, _ places: Int) -> String {
    let digits = String(Int((value * (0..<places).reduce(1) { scale, _ in scale * 10 }).rounded()))
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return places > 0 ? "\(padded.dropLast(places)).\(padded.suffix(places))" : padded
}
