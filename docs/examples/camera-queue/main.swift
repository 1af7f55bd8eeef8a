// Draws reactions on the pictures of a camera that delivers them on a queue of its own, as capture libraries do. The
// camera is a stand-in that draws grey pictures; a real one passes its buffers to the same closure.
//
// usage: camera-queue SECONDS

import Flourish
import Foundation

/// A stand-in for a camera: 30 pictures a second, each delivered on a queue.
final class Camera: Sendable {
    private let queue = DispatchQueue(label: "camera")
    private let size: Int

    init(size: Int) { self.size = size }

    /// Delivers pictures with their times, in seconds, then `nil`.
    func start(seconds: Double, deliver: @escaping @Sendable (_ picture: [UInt8]?, _ time: Double) -> Void) {
        let count = Int(seconds * 30)
        for index in 0..<count {
            queue.async { [size] in deliver([UInt8](repeating: 128, count: size), Double(index) / 30) }
        }
        queue.async { deliver(nil, seconds) }
    }
}

guard let seconds = CommandLine.arguments.dropFirst().first.flatMap({ Double($0) }) else {
    FileHandle.standardError.write(Data("usage: camera-queue SECONDS\n".utf8))
    exit(64)
}

var configuration = Configuration()
configuration.isLive = true  // a call takes the time of drawing only
configuration.gesturesEnabled = false  // remove this line to detect gestures
let session = ReactionSession(configuration: configuration)
let processor = try SharedReactionProcessor(width: 320, height: 180, pixelFormat: "nv12", session: session)

let camera = Camera(size: processor.packedSize)
camera.start(seconds: seconds) { picture, time in
    do {
        guard var picture else {
            try processor.finish()
            return
        }
        if time == 1 { try processor.session.performEffect(for: .confetti) }
        try processor.process(&picture, at: time)  // show or send the picture here
    } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(1)
    }
}
for await event in session.events { print(event.jsonLine) }
