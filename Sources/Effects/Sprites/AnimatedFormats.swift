import Platform

/// The structure of GIF files (GIF89a specification, CompuServe 1990).
enum GIFFrames {
    /// The state that a graphic control extension sets for the next image.
    private struct Control {
        var disposal = AnimatedSprite.Disposal.keep
        var duration = 0.0
        var transparent: UInt8?
    }

    static func read(_ file: [UInt8]) throws(SpriteFault) -> AnimatedSprite {
        guard let width = file.littleEndian(at: 6, count: 2), let height = file.littleEndian(at: 8, count: 2),
            let flags = file.byte(at: 10)
        else {
            throw .damagedHeader(.gif)
        }
        var animation = AnimatedSprite(width: width, height: height)
        var place = 13
        let table = colours(at: place, flags)
        place = table.upperBound
        var control = Control()
        // Files without the trailer are common.
        while let kind = file.byte(at: place), kind != 0x3B {
            switch kind {
            case 0x21:
                guard let label = file.byte(at: place + 1) else { throw .endsEarly(.gif) }
                if label == 0xF9 { control = try self.control(file, place) }
                place = try end(ofBlocks: file, from: place + 2)
            case 0x2C:
                var frame = try image(file, place, table: table)
                let start = place + 10 + (frame.colours == table ? 0 : frame.colours.count)
                place = try end(ofBlocks: file, from: start + 1)
                frame.parts = [start..<place]
                (frame.disposal, frame.duration) = (control.disposal, control.duration)
                frame.transparent = control.transparent
                try animation.add(frame)
                control = Control()
            default: throw .endsEarly(.gif)
            }
        }
        guard file.contains(table) else { throw .endsEarly(.gif) }
        return animation
    }

    /// Returns the place of a colour table whose size is in the low bits of flags; an empty one without a table.
    private static func colours(at place: Int, _ flags: UInt8) -> Range<Int> {
        place..<place + (flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1))
    }

    private static func control(_ file: [UInt8], _ place: Int) throws(SpriteFault) -> Control {
        guard file.byte(at: place + 2) == 4, let flags = file.byte(at: place + 3),
            let delay = file.littleEndian(at: place + 4, count: 2)
        else {
            throw .endsEarly(.gif)
        }
        var control = Control(duration: Double(delay) * 10)
        switch flags >> 2 & 7 {
        case 2: control.disposal = .clear
        case 3: control.disposal = .restore
        default: break
        }
        if flags & 1 != 0 { control.transparent = file.byte(at: place + 6) }
        return control
    }

    /// Reads an image descriptor.
    private static func image(
        _ file: [UInt8], _ place: Int, table: Range<Int>
    ) throws(SpriteFault) -> AnimatedSprite.Frame {
        guard let x = file.littleEndian(at: place + 1, count: 2), let y = file.littleEndian(at: place + 3, count: 2),
            let width = file.littleEndian(at: place + 5, count: 2),
            let height = file.littleEndian(at: place + 7, count: 2),
            let flags = file.byte(at: place + 9)
        else { throw .endsEarly(.gif) }
        let own = colours(at: place + 10, flags)
        guard !own.isEmpty || !table.isEmpty, file.contains(own) else { throw .endsEarly(.gif) }
        return AnimatedSprite.Frame(
            x: x, y: y, width: width, height: height, colours: own.isEmpty ? table : own,
            isInterlaced: flags & 0x40 != 0)
    }

    /// Returns the place after a sequence of data blocks.
    private static func end(ofBlocks file: [UInt8], from start: Int) throws(SpriteFault) -> Int {
        var place = start
        while let size = file.byte(at: place) {
            place += 1 + Int(size)
            if size == 0 { return place }
        }
        throw .endsEarly(.gif)
    }

    /// Returns a file with one image that covers its whole canvas.
    static func still(_ frame: AnimatedSprite.Frame, of file: [UInt8]) -> [UInt8] {
        let size = [UInt8](littleEndian: frame.width, count: 2) + [UInt8](littleEndian: frame.height, count: 2)
        // The table's size is 2 to the power of this number plus 1.
        let power = UInt8(truncatingIfNeeded: (frame.colours.count / 3).trailingZeroBitCount - 1)
        var still = Array("GIF89a".utf8) + size + [0x80 | power, 0, 0] + file[frame.colours]
        still += [0x21, 0xF9, 4, frame.transparent == nil ? 0 : 1, 0, 0, frame.transparent ?? 0, 0]
        still += [0x2C, 0, 0, 0, 0] + size + [frame.isInterlaced ? 0x40 : 0]
        for part in frame.parts { still += file[part] }
        return still + [0x3B]
    }
}

/// The structure of animated PNG files (PNG specification, third edition).
enum APNGFrames {
    /// - Returns: `nil` for a still picture.
    static func read(_ file: [UInt8]) throws(SpriteFault) -> AnimatedSprite? {
        guard file.has("IHDR", at: 12), let width = file.bigEndian(at: 16, count: 4),
            let height = file.bigEndian(at: 20, count: 4)
        else {
            throw .damagedHeader(.png)
        }
        var animation = AnimatedSprite(width: width, height: height)
        var (place, stated) = (8, nil as Int?)
        var frame: AnimatedSprite.Frame?
        loop: while let length = file.bigEndian(at: place, count: 4) {
            let data = place + 8..<place + 8 + length
            guard length <= file.count, file.contains(place..<data.upperBound + 4) else {
                // The decoder decides about damaged still pictures.
                if stated == nil { return nil }
                throw .endsEarly(.png)
            }
            switch String(decoding: file[place + 4..<place + 8], as: UTF8.self) {
            case "acTL": stated = file.bigEndian(at: data.lowerBound, count: 4)
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
        _ file: [UInt8], _ data: Range<Int>
    ) throws(SpriteFault) -> AnimatedSprite.Frame {
        let start = data.lowerBound
        guard data.count >= 26, let width = file.bigEndian(at: start + 4, count: 4),
            let height = file.bigEndian(at: start + 8, count: 4),
            let x = file.bigEndian(at: start + 12, count: 4), let y = file.bigEndian(at: start + 16, count: 4),
            let numerator = file.bigEndian(at: start + 20, count: 2),
            let denominator = file.bigEndian(at: start + 22, count: 2)
        else { throw .endsEarly(.png) }
        return AnimatedSprite.Frame(
            x: x, y: y, width: width, height: height,
            duration: Double(numerator) * 1000 / Double(denominator == 0 ? 100 : denominator),
            disposal: [.keep, .clear, .restore][min(Int(file[start + 24]), 2)],
            replaces: file[start + 25] == 0)
    }

    /// Returns a file with one frame as its only picture.
    static func still(_ frame: AnimatedSprite.Frame, of file: [UInt8]) -> [UInt8] {
        // IHDR begins at 8 with its length and its name; the last five bytes of its data do not depend on the size.
        let size = [UInt8](bigEndian: frame.width, count: 4) + [UInt8](bigEndian: frame.height, count: 4)
        var still = Array(file[..<8]) + chunk("IHDR", size + file[24..<29])
        var place = 8
        while let length = file.bigEndian(at: place, count: 4), file.contains(place..<place + 12 + length),
            !file.has("IDAT", at: place + 4)
        {
            if file.has("PLTE", at: place + 4) || file.has("tRNS", at: place + 4) {
                still += file[place..<place + 12 + length]
            }
            place += 12 + length
        }
        for part in frame.parts { still += chunk("IDAT", Array(file[part])) }
        return still + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let content = Array(name.utf8) + data
        return [UInt8](bigEndian: data.count, count: 4) + content
            + [UInt8](bigEndian: Int(Zlib.checksum(of: content)), count: 4)
    }
}

/// The structure of animated WebP files (RFC 9649, 2.7).
enum WebPFrames {
    /// - Returns: `nil` for a still picture.
    static func read(_ file: [UInt8]) throws(SpriteFault) -> AnimatedSprite? {
        guard file.has("VP8X", at: 12), let flags = file.byte(at: 20), flags & 2 != 0 else { return nil }
        guard let width = file.littleEndian(at: 24, count: 3), let height = file.littleEndian(at: 27, count: 3) else {
            throw .damagedHeader(.webp)
        }
        var animation = AnimatedSprite(width: width + 1, height: height + 1)
        var place = 12
        while place + 8 <= file.count {
            let data = try data(ofChunk: place, file, below: file.count)
            if file.has("ANMF", at: place) { try animation.add(frame(file, data)) }
            place = data.upperBound + data.count % 2
        }
        return animation
    }

    private static func data(
        ofChunk place: Int, _ file: [UInt8], below end: Int
    ) throws(SpriteFault) -> Range<Int> {
        guard let length = file.littleEndian(at: place + 4, count: 4), place + 8 + length <= end else {
            throw .endsEarly(.webp)
        }
        return place + 8..<place + 8 + length
    }

    private static func frame(
        _ file: [UInt8], _ data: Range<Int>
    ) throws(SpriteFault) -> AnimatedSprite.Frame {
        let start = data.lowerBound
        guard data.count > 16, let x = file.littleEndian(at: start, count: 3),
            let y = file.littleEndian(at: start + 3, count: 3),
            let width = file.littleEndian(at: start + 6, count: 3),
            let height = file.littleEndian(at: start + 9, count: 3),
            let duration = file.littleEndian(at: start + 12, count: 3), let flags = file.byte(at: start + 15)
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
    static func still(_ frame: AnimatedSprite.Frame, of file: [UInt8]) -> [UInt8] {
        var chunks: [UInt8] = []
        if frame.parts.count > 1 {
            // A separate alpha channel needs the extended header.
            chunks += Array("VP8X".utf8) + [UInt8](littleEndian: 10, count: 4) + [0x10, 0, 0, 0]
            chunks +=
                [UInt8](littleEndian: frame.width - 1, count: 3) + [UInt8](littleEndian: frame.height - 1, count: 3)
        }
        for part in frame.parts { chunks += file[part] + [UInt8](repeating: 0, count: part.count % 2) }
        return Array("RIFF".utf8) + [UInt8](littleEndian: 4 + chunks.count, count: 4) + Array("WEBP".utf8) + chunks
    }
}
