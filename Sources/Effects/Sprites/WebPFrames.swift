/// The structure of animated WebP files (RFC 9649, 2.7).
enum WebPFrames {
    /// - Returns: `nil` for a still picture.
    static func read(_ bytes: [UInt8]) throws(SpriteFault) -> AnimatedSprite? {
        let file = PictureBytes(bytes)
        guard file.has("VP8X", at: 12), let flags = file[20], flags & 2 != 0 else { return nil }
        guard let width = file.little(24, 3), let height = file.little(27, 3) else { throw .damagedHeader(.webp) }
        var animation = AnimatedSprite(width: width + 1, height: height + 1)
        var place = 12
        while place + 8 <= bytes.count {
            let data = try data(ofChunk: place, file, below: bytes.count)
            if file.has("ANMF", at: place) { try animation.add(frame(file, data)) }
            place = data.upperBound + data.count % 2
        }
        return animation
    }

    private static func data(
        ofChunk place: Int, _ file: PictureBytes, below end: Int
    ) throws(SpriteFault) -> Range<Int> {
        guard let length = file.little(place + 4, 4), place + 8 + length <= end else { throw .endsEarly(.webp) }
        return place + 8..<place + 8 + length
    }

    private static func frame(
        _ file: PictureBytes, _ data: Range<Int>
    ) throws(SpriteFault) -> AnimatedSprite.Frame {
        let start = data.lowerBound
        guard data.count > 16, let x = file.little(start, 3), let y = file.little(start + 3, 3),
            let width = file.little(start + 6, 3), let height = file.little(start + 9, 3),
            let duration = file.little(start + 12, 3), let flags = file[start + 15]
        else { throw .endsEarly(.webp) }
        var frame = AnimatedSprite.Frame(
            x: 2 * x, y: 2 * y, width: width + 1, height: height + 1, duration: Double(duration),
            disposal: flags & 1 == 0 ? .keep : .clear, replaces: flags & 2 != 0)
        var place = start + 16
        while place + 8 <= data.upperBound {
            let part = try self.data(ofChunk: place, file, below: data.upperBound)
            if ["ALPH", "VP8 ", "VP8L"].contains(where: { file.has($0, at: place) }) {
                frame.parts.append(place..<part.upperBound)
            }
            place = part.upperBound + part.count % 2
        }
        if frame.parts.isEmpty { throw .endsEarly(.webp) }
        return frame
    }

    /// Returns a file with one frame as its only picture.
    static func still(_ frame: AnimatedSprite.Frame, of bytes: [UInt8]) -> [UInt8] {
        var chunks: [UInt8] = []
        if frame.parts.count > 1 {
            // A separate alpha channel needs the extended header.
            chunks += Array("VP8X".utf8) + PictureBytes.little(10, 4) + [0x10, 0, 0, 0]
            chunks += PictureBytes.little(frame.width - 1, 3) + PictureBytes.little(frame.height - 1, 3)
        }
        for part in frame.parts { chunks += bytes[part] + [UInt8](repeating: 0, count: part.count % 2) }
        return Array("RIFF".utf8) + PictureBytes.little(4 + chunks.count, 4) + Array("WEBP".utf8) + chunks
    }
}
