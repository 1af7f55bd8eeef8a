/// The structure of GIF files (GIF89a specification, CompuServe 1990).
enum GIFFrames {
    /// The state that a graphic control extension sets for the next image.
    private struct Control {
        var disposal = AnimatedSprite.Disposal.keep
        var duration = 0.0
        var transparent: UInt8?
    }

    static func read(_ bytes: [UInt8]) throws(SpriteFault) -> AnimatedSprite {
        let file = PictureBytes(bytes)
        guard let width = file.little(6, 2), let height = file.little(8, 2), let flags = file[10] else {
            throw .damagedHeader(.gif)
        }
        var animation = AnimatedSprite(width: width, height: height)
        var place = 13
        let table = colours(at: place, flags)
        place = table.upperBound
        var control = Control()
        // Files without the trailer are common.
        while let kind = file[place], kind != 0x3B {
            switch kind {
            case 0x21:
                guard let label = file[place + 1] else { throw .endsEarly(.gif) }
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

    private static func control(_ file: PictureBytes, _ place: Int) throws(SpriteFault) -> Control {
        guard file[place + 2] == 4, let flags = file[place + 3], let delay = file.little(place + 4, 2) else {
            throw .endsEarly(.gif)
        }
        var control = Control(duration: Double(delay) * 10)
        switch flags >> 2 & 7 {
        case 2: control.disposal = .clear
        case 3: control.disposal = .restore
        default: break
        }
        if flags & 1 != 0 { control.transparent = file[place + 6] }
        return control
    }

    /// Reads an image descriptor.
    private static func image(
        _ file: PictureBytes, _ place: Int, table: Range<Int>
    ) throws(SpriteFault) -> AnimatedSprite.Frame {
        guard let x = file.little(place + 1, 2), let y = file.little(place + 3, 2),
            let width = file.little(place + 5, 2), let height = file.little(place + 7, 2),
            let flags = file[place + 9]
        else { throw .endsEarly(.gif) }
        let own = colours(at: place + 10, flags)
        guard !own.isEmpty || !table.isEmpty, file.contains(own) else { throw .endsEarly(.gif) }
        return AnimatedSprite.Frame(
            x: x, y: y, width: width, height: height, colours: own.isEmpty ? table : own,
            isInterlaced: flags & 0x40 != 0)
    }

    /// Returns the place after a sequence of data blocks.
    private static func end(ofBlocks file: PictureBytes, from start: Int) throws(SpriteFault) -> Int {
        var place = start
        while let size = file[place] {
            place += 1 + Int(size)
            if size == 0 { return place }
        }
        throw .endsEarly(.gif)
    }

    /// Returns a file with one image that covers its whole canvas.
    static func still(_ frame: AnimatedSprite.Frame, of bytes: [UInt8]) -> [UInt8] {
        let size = PictureBytes.little(frame.width, 2) + PictureBytes.little(frame.height, 2)
        // The table's size is 2 to the power of this number plus 1.
        let power = UInt8(truncatingIfNeeded: (frame.colours.count / 3).trailingZeroBitCount - 1)
        var file = Array("GIF89a".utf8) + size + [0x80 | power, 0, 0] + bytes[frame.colours]
        file += [0x21, 0xF9, 4, frame.transparent == nil ? 0 : 1, 0, 0, frame.transparent ?? 0, 0]
        file += [0x2C, 0, 0, 0, 0] + size + [frame.isInterlaced ? 0x40 : 0]
        for part in frame.parts { file += bytes[part] }
        return file + [0x3B]
    }
}
