extension Double {
    /// As people write it: 2.0 is 2, and 0.5 is 0.5.
    package var plainText: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }
}
