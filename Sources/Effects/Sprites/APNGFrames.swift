import Platform

/// The structure of animated PNG files (PNG specification, third edition).
enum APNGFrames {
    /// - Returns: `nil` for a still picture.
    static func read(_ bytes: [UInt8]) throws(SpriteFault) -> AnimatedSprite? {
        let file = PictureBytes(bytes)
        guard file.has("IHDR", at: 12), let width = file.big(16, 4), let height = file.big(20, 4) else {
            throw .damagedHeader(.png)
        }
        var animation = AnimatedSprite(width: width, height: height)
        var (place, stated) = (8, nil as Int?)
        var frame: AnimatedSprite.Frame?
        loop: while let length = file.big(place, 4) {
            let data = place + 8..<place + 8 + length
            guard length <= bytes.count, file.contains(place..<data.upperBound + 4) else {
                // The decoder decides about damaged still pictures.
                if stated == nil { return nil }
                throw .endsEarly(.png)
            }
            switch String(decoding: bytes[place + 4..<place + 8], as: UTF8.self) {
            case "acTL": stated = file.big(data.lowerBound, 4)
            case "fcTL" where stated != nil:
                if let frame { try animation.add(frame) }
                frame = try control(file, data)
            // The picture that programs without animation show belongs to the animation if its control precedes it.
            case "IDAT":
                if stated == nil { return nil }
                frame?.parts.append(data)
            case "fdAT" where length > 4: frame?.parts.append(data.dropFirst(4))
            case "IEND": break loop
            default: break
            }
            place = data.upperBound + 4
        }
        guard let stated else { return nil }
        if let frame { try animation.add(frame) }
        if animation.frames.isEmpty { throw SpriteFault("the sprite has no frames; save it again") }
        guard animation.frames.count == stated, animation.frames.allSatisfy({ !$0.parts.isEmpty }) else {
            throw .endsEarly(.png)
        }
        return animation
    }

    private static func control(
        _ file: PictureBytes, _ data: Range<Int>
    ) throws(SpriteFault) -> AnimatedSprite.Frame {
        let start = data.lowerBound
        guard data.count >= 26, let width = file.big(start + 4, 4), let height = file.big(start + 8, 4),
            let x = file.big(start + 12, 4), let y = file.big(start + 16, 4), let numerator = file.big(start + 20, 2),
            let denominator = file.big(start + 22, 2)
        else { throw .endsEarly(.png) }
        return AnimatedSprite.Frame(
            x: x, y: y, width: width, height: height,
            duration: Double(numerator) * 1000 / Double(denominator == 0 ? 100 : denominator),
            disposal: [.keep, .clear, .restore][min(Int(file.bytes[start + 24]), 2)],
            replaces: file.bytes[start + 25] == 0)
    }

    /// Returns a file with one frame as its only picture.
    static func still(_ frame: AnimatedSprite.Frame, of bytes: [UInt8]) -> [UInt8] {
        // IHDR begins at 8 with its length and its name; the last five bytes of its data do not depend on the size.
        let size = PictureBytes.big(frame.width, 4) + PictureBytes.big(frame.height, 4)
        var still = Array(bytes[..<8]) + chunk("IHDR", size + bytes[24..<29])
        let file = PictureBytes(bytes)
        var place = 8
        while let length = file.big(place, 4), file.contains(place..<place + 12 + length),
            !file.has("IDAT", at: place + 4)
        {
            if file.has("PLTE", at: place + 4) || file.has("tRNS", at: place + 4) {
                still += bytes[place..<place + 12 + length]
            }
            place += 12 + length
        }
        for part in frame.parts { still += chunk("IDAT", Array(bytes[part])) }
        return still + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(name.utf8) + data
        return PictureBytes.big(data.count, 4) + content + PictureBytes.big(Int(CRC32.checksum(of: content)), 4)
    }
}
