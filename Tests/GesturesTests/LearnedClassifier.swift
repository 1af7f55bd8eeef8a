import FoundationEssentials
import Gestures
import TestSupport

/// The classifier that the program uses, with the weights of this checkout.
enum LearnedClassifier {
    static let assets = Repository.root.appending(path: "Assets").path
    static let network = try! GestureNetwork(assets: assets)
    static let shared = GestureClassifier(network: network)
}
