/// The numbers of a JSON text whose syntax is right.
struct JSONNumbers {
    private let json: [UInt8]
    /// Where they stand, in their order.
    private let places: [Range<Int>]

    init(in json: [UInt8]) {
        self.json = json
        places = JSONSyntax.numbers(in: json)
    }

    /// The first one that makes the text wrong, by its line and as it stands there.
    ///
    /// - Parameter isRight: tells of a text that has ones in place of some numbers. It is asked about as often as the
    ///   number of all can be halved.
    /// - Returns: `nil` where more than numbers is wrong.
    func culprit(_ isRight: ([UInt8]) -> Bool) -> (line: Int, text: String)? {
        guard isRight(withOnes(from: 0)) else { return nil }
        // It is right with ones from the first of these on, and wrong with ones from the last.
        var right = 0, wrong = places.count
        while wrong - right > 1 {
            let middle = (right + wrong) / 2
            if isRight(withOnes(from: middle)) { right = middle } else { wrong = middle }
        }
        guard right < places.count else { return nil }
        let place = places[right]
        return (JSONSyntax.line(of: place.lowerBound, in: json), String(decoding: json[place], as: UTF8.self))
    }

    private func withOnes(from first: Int) -> [UInt8] {
        var text: [UInt8] = [], end = 0
        for place in places[first...] {
            text += json[end..<place.lowerBound]
            text.append(UInt8(ascii: "1"))
            end = place.upperBound
        }
        return text + json[end...]
    }
}
