extension Double {
    /// It with three decimal places.
    package var milliseconds: Double { (self * 1000).rounded() / 1000 }

    /// As people write it: 2.0 is 2, and 0.5 is 0.5.
    package var plainText: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }
}
