import MediaIO

extension PictureAdjustment {
    /// What a person is told of it; `nil` for a change of size, which is told when it happens.
    var explanation: String? {
        switch self {
        case .padded(let fromWidth, let fromHeight, let toWidth, let toHeight):
            "the pictures grew from \(fromWidth)x\(fromHeight) to \(toWidth)x\(toHeight): the codec takes even sizes only"
        case .turnedUpright: "the pictures were turned upright: the container cannot say how they are turned"
        case .converted(let from, let to): "the pictures were converted from \(from) to \(to), which the codec takes"
        case .scaled: nil
        }
    }
}
