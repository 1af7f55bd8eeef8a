import FoundationEssentials
import Reactions
import TestSupport
@testable import Vision

/// The classifier that the program uses, with the weights of this checkout.
enum LearnedClassifier {
    static let assets = Repository.root.appending(path: "Assets").path
    static let network = try! GestureNetwork(assets: assets)
    static let shared = GestureClassifier(network: network)
}

extension ReactionGesture {
    /// A learned gesture.
    static let three = ReactionGesture(rawValue: "three")!
}
