import ArgumentParser
import Flourish

/// `0.5,0.4`
struct PlaceArgument: ExpressibleByArgument {
    let point: PicturePoint

    init?(argument: String) {
        self.init(argument.split(separator: ",", omittingEmptySubsequences: false)[...])
    }

    /// - Parameter parts: how far it is across and down, 0…1, in digits.
    init?(_ parts: ArraySlice<Substring>) {
        let numbers = parts.map { Double($0) }
        guard numbers.count == 2, let x = numbers[0], let y = numbers[1],
            (0...1).contains(x), (0...1).contains(y)
        else { return nil }
        point = PicturePoint(x: x, y: y)
    }
}
