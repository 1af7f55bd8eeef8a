extension [Float] {
    /// Takes other values over into the memory that it has: assigned, both would share theirs until one of them changes, and
    /// that one would need more.
    mutating func refill(from source: [Float]) {
        guard count == source.count else {
            self = Array(source.indices.map { source[$0] })
            return
        }
        let source = source.span
        var target = mutableSpan
        for index in 0..<target.count { target[index] = source[index] }
    }
}
