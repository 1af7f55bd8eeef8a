/// Finds the connected parts of a mask.
struct MaskParts {
    private let width, height: Int
    private var isTaken: [Bool]

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        isTaken = [Bool](repeating: false, count: width * height)
    }

    /// The places of each part whose values are above a limit; places that touch side by side are of one part.
    mutating func find(in values: [Float], above limit: Float) -> [[Int]] {
        precondition(values.count == isTaken.count)
        for index in values.indices { isTaken[index] = !(values[index] > limit) }
        var parts: [[Int]] = []
        for start in values.indices where !isTaken[start] {
            isTaken[start] = true
            var part = [start], next = 0
            while next < part.count {
                let place = part[next], column = place % width
                next += 1
                if column > 0 { take(place - 1, &part) }
                if column < width - 1 { take(place + 1, &part) }
                if place >= width { take(place - width, &part) }
                if place < values.count - width { take(place + width, &part) }
            }
            parts.append(part)
        }
        return parts
    }

    private mutating func take(_ place: Int, _ part: inout [Int]) {
        guard !isTaken[place] else { return }
        isTaken[place] = true
        part.append(place)
    }
}
