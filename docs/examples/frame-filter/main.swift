// Shows reactions over raw video that comes through a pipe: the shape of every program that has frames of its own, from a
// camera, a game or a conference server.
//
//   ffmpeg -i call.mp4 -f rawvideo -pix_fmt yuv420p - \
//     | frame-filter 1280 720 30 \
//     | ffplay -f rawvideo -video_size 1280x720 -framerate 30 -
//
// Events go to the standard error as JSON Lines. `docs/processor.md` explains the calls.

import Flourish
import Foundation

let numbers = CommandLine.arguments.dropFirst().prefix(3).compactMap { Int($0) }
guard numbers.count == 3 else {
    FileHandle.standardError.write(Data("usage: frame-filter WIDTH HEIGHT RATE [MATRIX [REACTION]]\n".utf8))
    exit(64)
}
let (width, height, rate) = (numbers[0], numbers[1], numbers[2])

let session = ReactionSession()
let observer = SessionObserver(event: { event in
    FileHandle.standardError.write(Data((event.jsonLine + "\n").utf8))
})
let matrix = CommandLine.arguments.dropFirst(4).first.flatMap(ReactionProcessor.Matrix.init(rawValue:))
let processor = try ReactionProcessor(
    width: width, height: height, pixelFormat: "yuv420p", matrix: matrix, session: session, observer: observer)
if let name = CommandLine.arguments.dropFirst(5).first {
    try session.performEffect(for: ReactionType(rawValue: name))
}

var index = 0
let size = processor.packedSize
while let data = try FileHandle.standardInput.read(upToCount: size), data.count == size {
    var picture = [UInt8](data)
    try processor.process(&picture, at: Double(index) / Double(rate))
    try FileHandle.standardOutput.write(contentsOf: picture)
    index += 1
}
try processor.finish()
