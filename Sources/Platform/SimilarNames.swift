/// Suggestions for misspelt names.
extension String {
    /// Returns the edit distance (Levenshtein): the number of letters to insert, delete or replace to get another word.
    package func editDistance(to other: String) -> Int {
        let other = Array(other.prefix(64))
        var row = Array(0...other.count)
        for (i, letter) in prefix(64).enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for j in other.indices {
                let changed = diagonal + (letter == other[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = Swift.min(changed, row[j] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }

    /// Returns the most similar name, to suggest for a misspelt one; `nil` if none is similar.
    package func nearest(among names: [String]) -> String? {
        let ranked = names.map { (name: $0, distance: editDistance(to: $0)) }
        return ranked.min { $0.distance < $1.distance }.flatMap {
            $0.distance <= 2 && $0.distance < count - 1 ? $0.name : nil
        }
    }

    /// Returns the question "did you mean NAME? " for the name that this one was probably meant to be; an empty text if
    /// none is similar. Error messages put it before the list of known names.
    package func suggestion(among names: [String]) -> String {
        nearest(among: names).map { "did you mean \($0)? " } ?? ""
    }
}
