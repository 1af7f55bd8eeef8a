import FoundationEssentials
@testable import Puppet
import Raster
import TestSupport
import Testing
@testable import Vision

/// The puppet is useful only if the real models detect its hands.
@Suite("The real models see the puppet's hands", .serialized)
struct DetectionTests {
    /// Analyses the middle of a pose's hold.
    private func analyse(
        _ pose: PuppetPose, _ hands: PuppetCue.Hands
    ) throws -> (seen: [HandLandmarks], truth: [PuppetTruth.Hand], gesture: FrameGesture?) {
        let script = Scripts.cue(pose, hands)
        let director = try PuppetDirector(script: script)
        let tracker = try InstalledModels.tracker()
        let geometry = DisplayGeometry(storedWidth: script.width, storedHeight: script.height)
        let buffer = PlaneBuffer(format: director.format)
        var seen: [HandLandmarks] = []
        // The second inference refines the first one's result.
        for frame in [11, 12] {
            buffer.withPicture { director.draw(frame: frame, into: &$0) }
            seen = try buffer.withPicture { picture in
                try picture.withPicture {
                    try tracker.process(picture: $0, geometry: geometry, time: Double(frame) / script.rate)
                }
            }
        }
        let network = try GestureNetwork(assets: Repository.root.appending(path: "Assets").path)
        let recognizer = GestureRecognizer(classifier: GestureClassifier(network: network))
        return (seen, director.handsSeen(at: 1.2), recognizer.observe(seen).gesture)
    }

    /// The mean distance of the points from the true joints, in picture heights.
    private func error(_ hand: HandLandmarks, _ truth: PuppetTruth.Hand) -> Double {
        let sum = zip(hand.points, truth.joints).reduce(0.0) { sum, pair in
            let dx = (pair.0.x - pair.1[0]) * hand.pictureAspectRatio
            let dy = pair.0.y - pair.1[1]
            return sum + (dx * dx + dy * dy).squareRoot()
        }
        return sum / 21
    }

    @Test(
        "as the gestures that they make",
        arguments: PuppetPose.allCases.flatMap { pose in
            [PuppetCue.Hands.left, .both].filter { pose.gesture(hands: $0 == .both ? 2 : 1) != nil }.map { (pose, $0) }
        })
    func gestures(pose: PuppetPose, hands: PuppetCue.Hands) throws {
        let (seen, truth, gesture) = try analyse(pose, hands)
        #expect(gesture?.rawValue == Scripts.cue(pose, hands).cues[0].gesture)
        #expect(seen.count == truth.count)
        for hand in truth {
            let nearest = seen.map { error($0, hand) }.min() ?? 1
            #expect(nearest < 0.04, "\(hand.hand) hand: \(nearest) picture heights off")
        }
        #expect(Set(seen.map(\.handedness.rawValue)) == Set(truth.map(\.hand)))
    }

    @Test(
        "as hands without a gesture where they only nearly make one",
        arguments: [
            (PuppetPose.fist, PuppetCue.Hands.right), (.openPalm, .left), (.pointing, .right), (.three, .left),
            (.four, .right), (.ok, .left), (.iLoveYou, .both), (.thumbSideways, .left), (.horns, .right),
            (.chin, .left),
        ])
    func nearMisses(pose: PuppetPose, hands: PuppetCue.Hands) throws {
        let (seen, truth, gesture) = try analyse(pose, hands)
        #expect(gesture == nil)
        #expect(seen.count == truth.count)
    }
}
