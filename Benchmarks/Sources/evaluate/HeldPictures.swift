import Foundation

/// Makes clips of photos: each is held before a room for a while, like a hand that makes a gesture, drifting a
/// little. Before that the room is shown alone, or after it the picture is black.
struct HeldPictures: Sendable {
    /// A photo that is held in a clip.
    struct Part: Sendable {
        var path: String
        /// In seconds of the clip.
        var start: Double
        var end: Double { start + HeldPictures.heldTime }
    }

    /// A clip under one condition.
    struct Clip: Sendable {
        var name: String
        var condition: Condition
        /// True if the room is shown before the photo, like before a hand is raised.
        var beginsWithRoom: Bool
        var parts: [Part]
    }

    let footage: Footage
    let labels: Labels
    /// Photos of rooms as backgrounds, by their paths.
    let rooms: [String]

    static let heldTime = 1.4
    /// Long enough for a gesture to count as released.
    private static let pause = 1.0
    private static let frameRate = 10
    private static let batchSize = 20
    private static let heldFrames = Int(heldTime * Double(frameRate))
    private static let pausedFrames = Int(pause * Double(frameRate))

    init(footage: Footage, labels: Labels) {
        self.footage = footage
        self.labels = labels
        rooms = footage.images.filter { $0.contains("/no_hands/") }
    }

    /// Divides pictures into clips of one condition, whose names begin with `prefix`.
    func clips(
        of pictures: [String], under condition: Condition, prefix: String = "", beginsWithRoom: Bool = false
    ) -> [Clip] {
        stride(from: 0, to: pictures.count, by: Self.batchSize).enumerated().map { number, start in
            let batch = pictures[start..<min(start + Self.batchSize, pictures.count)]
            return Clip(
                name: prefix + condition.rawValue.filter(\.isLetter) + "-\(number)", condition: condition,
                beginsWithRoom: beginsWithRoom,
                parts: batch.enumerated().map { index, path in
                    Part(
                        path: path,
                        start: Double(index) * (Self.heldTime + Self.pause) + (beginsWithRoom ? Self.pause : 0))
                })
        }
    }

    /// Writes a clip.
    func write(_ clip: Clip, to file: URL, scratch: URL) throws {
        let condition = clip.condition, canvas = clip.condition.canvas
        let first = clip.beginsWithRoom ? Self.pausedFrames : 0
        let frames = first + Self.heldFrames
        // One extra frame: the filters that keep the rate drop the last one.
        let end =
            clip.beginsWithRoom
            ? "trim=end_frame=\(frames + 1)"
            : "trim=end_frame=\(frames),tpad=stop=\(Self.pausedFrames + 1),fps=\(Self.frameRate)"
        // Shows a picture for a little longer than that.
        let repeated = "loop=loop=\(frames + 2):size=1,setpts=N/\(Self.frameRate)/TB"
        var inputs: [String] = [], graph: [String] = []
        for (index, part) in clip.parts.enumerated() {
            // The same random numbers for the same photo in every run.
            let chance = hash(part.path + condition.rawValue)
            let room = rooms.isEmpty ? part.path : rooms[Int(chance % UInt64(rooms.count))]
            for picture in [room, part.path] {
                inputs += ["-framerate", "\(Self.frameRate)", "-i", footage.path(of: picture)]
            }
            // The hands of a heart also fill most of the photo.
            let isTight = labels.isTightCrop(part.path) || labels.image(part.path)?.gesture == .heart
            let height = condition.pictureHeight(isTightCrop: isTight)
            let left = 0.2 + 0.6 * Double(chance >> 8 & 255) / 255, top = 0.3 + 0.6 * Double(chance >> 16 & 255) / 255
            let drift = 1 + 3 * Double(chance >> 24 & 255) / 255
            graph.append(
                "[\(2 * index)]scale=\(canvas.width):\(canvas.height),gblur=sigma=4,setsar=1,\(repeated)[room\(index)];"
                    + "[\(2 * index + 1)]scale=w='min(\(canvas.width),iw*\(height)/ih)':h=\(height)"
                    + ":force_original_aspect_ratio=decrease,setsar=1,\(repeated)[hand\(index)];"
                    + "[room\(index)][hand\(index)]overlay=x='(W-w)*\(left)+\(drift)*sin(n/3)'"
                    + ":y='(H-h)*\(top)+\(drift)*cos(n/4)':shortest=1:enable='gte(n,\(first))',\(condition.filter(turn: Int(chance >> 32 & 255))),"
                    + "format=yuv420p,setsar=1,\(end)[part\(index)]")
        }
        let names = clip.parts.indices.map { "[part\($0)]" }.joined()
        graph.append(names + "concat=n=\(clip.parts.count)")
        let coding = [
            "-an", "-pix_fmt", "yuv420p", "-r", "\(Self.frameRate)", "-c:v", "libx264", "-preset", "veryfast",
            "-crf", "\(condition.rateFactor)",
        ]
        _ = try Program(path: "ffmpeg", scratch: scratch).output(
            ["-nostdin", "-v", "error", "-y", "-threads", "1"] + inputs
                + ["-filter_complex", graph.joined(separator: ";")] + coding + [file.path])
    }
}

/// FNV-1a: the same in every run, unlike Swift's own.
func hash(_ text: String) -> UInt64 {
    let folded = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    // The last byte is hardly mixed.
    return folded ^ (folded >> 29)
}
