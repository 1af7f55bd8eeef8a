/// The contents of a composite, chosen by a seed.
struct GalleryPlan: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case grid2x2, sharedScreen, grid3x3, screenRecording, speakerStrip, unequalRows, letterboxed, grid1x2, avatars,
            incompleteRow, grid4x4, grid3x2, grid5x5, grid7x7

        /// The kind of a composite by its number; of the largest grid there is one in 65.
        static func of(_ number: Int) -> Kind {
            let usual = allCases.dropLast()
            let kind = usual[number % usual.count]
            return kind == .grid5x5 && number / usual.count % 5 == 2 ? .grid7x7 : kind
        }

        /// The cells in each row of a grid that starts with this kind.
        var rows: [Int]? {
            switch self {
            case .grid1x2: [2]
            case .grid2x2: [2, 2]
            case .grid3x2: [3, 3]
            case .grid3x3: [3, 3, 3]
            case .grid4x4: Array(repeating: 4, count: 4)
            case .grid5x5: Array(repeating: 5, count: 5)
            case .grid7x7: Array(repeating: 7, count: 7)
            default: nil
            }
        }
    }

    struct Participant: Sendable {
        var id: Int
        var name: String
        var clip: GalleryFootage.Clip
        /// The second of the clip with which the composite starts.
        var offset: Double
        /// True if the tile shows a disc with initials instead of video.
        var isAvatar: Bool
        var disc: GalleryColour
        /// True if the whole picture is shown, with bars beside it.
        var isFitted: Bool
        /// The place at which tall pictures are cropped: 0 keeps the top, 1 the bottom.
        var cropBias: Double
        var gesture: PlacedGesture?

        var initials: String {
            name.split(separator: " ").prefix(2).map { String($0.prefix(1)) }.joined()
        }
    }

    struct PlacedGesture: Sendable {
        var source: GalleryFootage.GestureClip
        /// The second of the source that is shown at `from`.
        var sourceFrom: Double
        /// The interval in which the camera is on.
        var from: Double
        var until: Double
        var holdFrom: Double
        var holdUntil: Double
        var layout: Int
    }

    /// One participant's place.
    struct Tile: Sendable {
        /// An index of the participants.
        var participant: Int
        var cell: GalleryRect
        /// The part of the cell with the video.
        var picture: GalleryRect
        /// The pixels that a detector must find.
        var visible: GalleryRect
    }

    struct Layout: Sendable {
        var from: Double
        var until: Double
        var tiles: [Tile]
        var content: GalleryRect?
    }

    /// An interval in which one participant is marked as speaking.
    struct Turn: Sendable {
        var from: Double
        var until: Double
        var participant: Int
    }

    var number: Int
    var kind: Kind
    var width: Int
    var height: Int
    let fps = 30
    var seconds: Double
    var rateFactor: Int
    var style: GalleryStyle
    var screen: GalleryScreen
    /// The recorded browser window around the call, if any.
    var browser: GalleryBrowser?
    var participants: [Participant]
    var layouts: [Layout]
    var turns: [Turn]

    var scale: Double { Double(height) / 1080 }
    var name: String {
        let digits = String(number + 1)
        return "gallery-" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }

    /// The truth about the composite.
    var truth: GalleryTruth {
        let painted = layouts.enumerated().map { index, layout in
            var tiles = layout.tiles.map { tile in
                let participant = participants[tile.participant]
                let gesture = participant.gesture.flatMap { $0.layout == index ? $0 : nil }
                let isPerson = !participant.isAvatar && (participant.gesture == nil || gesture != nil)
                return GalleryTruth.Tile(
                    id: participant.id, x: tile.visible.x, y: tile.visible.y, width: tile.visible.width,
                    height: tile.visible.height, kind: isPerson ? .person : .avatar, source: participant.clip.path,
                    gesture: gesture.map {
                        GalleryTruth.Gesture(
                            label: $0.source.label, from: $0.holdFrom, until: $0.holdUntil, shownFrom: $0.from,
                            shownUntil: $0.until, sourceFrom: $0.sourceFrom, picture: tile.picture.truth)
                    },
                    label: GalleryPainter.labelBox(participant, in: tile.visible, style)?.truth)
            }
            if let content = layout.content {
                tiles.append(
                    GalleryTruth.Tile(
                        id: 0, x: content.x, y: content.y, width: content.width, height: content.height,
                        kind: .content, source: screen.subject.rawValue, gesture: nil, label: nil))
            }
            return GalleryTruth.Layout(from: layout.from, until: layout.until, tiles: tiles)
        }
        return GalleryTruth(
            video: name + ".mp4", width: width, height: height, fps: fps, kind: kind.rawValue,
            rateFactor: rateFactor, layouts: painted)
    }
}
