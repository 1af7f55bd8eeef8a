/// The layout of a composite over time: what a layout detector must find.
struct GalleryTruth: Codable, Sendable {
    struct Rectangle: Codable, Sendable {
        var x: Int
        var y: Int
        var width: Int
        var height: Int
    }

    enum TileKind: String, Codable, Sendable { case person, avatar, content }

    /// A gesture that is held, in seconds of the composite.
    struct Gesture: Codable, Sendable {
        /// `thumbs_up`, `thumbs_down` or `victory`.
        var label: String
        var from: Double
        var until: Double
        /// The interval in which the clip is shown; outside of it the tile shows an avatar.
        var shownFrom: Double
        var shownUntil: Double
        /// The second of the source that is shown first.
        var sourceFrom: Double
        /// The area of the tile, in pixels of the composite, that the clip fills.
        var picture: Rectangle
    }

    /// The pixels that show one participant or the shared screen, without the frame around an active speaker.
    struct Tile: Codable, Sendable {
        /// The participant; the same in all layouts of a composite.
        var id: Int
        var x: Int
        var y: Int
        var width: Int
        var height: Int
        var kind: TileKind
        /// The video in the footage folder, or the kind of a shared screen.
        var source: String
        @Null var gesture: Gesture?
        /// The name label's box.
        @Null var label: Rectangle?
    }

    struct Layout: Codable, Sendable {
        var from: Double
        var until: Double
        var tiles: [Tile]
    }

    var video: String
    var width: Int
    var height: Int
    var fps: Int
    var kind: String
    /// The constant rate factor of the encode.
    var rateFactor: Int?
    var layouts: [Layout]

    var seconds: Double { layouts.last?.until ?? 0 }
}

/// An optional value that is encoded as `null` where it is absent.
@propertyWrapper
struct Null<Value: Codable & Sendable>: Codable, Sendable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}
