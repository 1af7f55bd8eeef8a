/// How many letters must be put in, left out or changed to make one word of another (Levenshtein).
package enum EditDistance {
    package static func between(_ a: String, _ b: String) -> Int {
        let b = Array(b.prefix(64))
        var row = Array(0...b.count)
        for (i, letter) in a.prefix(64).enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let changed = diagonal + (letter == b[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, row[j] + 1, diagonal + 1)
            }
        }
        return row[b.count]
    }
}
