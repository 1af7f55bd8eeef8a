import Flourish
import NIOCore
import NIOHTTP1

/// The descriptions and sprites from which the overlay's page draws the effects. Each is made on the first request, on
/// a thread that serves no client, and kept.
actor OverlayEffects {
    private let effects: PageEffects
    private var descriptions: (style: ReactionStyle, response: PanelResponse)?
    private var sprites: [Sprite: PanelResponse] = [:]

    private struct Sprite: Hashable {
        var number: Int, height: Int
    }

    /// The folder of the sprites' paths.
    private static let folder = "sprites/"
    private static let suffix = ".png"
    /// The heights in which a page can request a sprite, in pixels. The second is the default.
    private static let heights = [256, 512, 1024]

    init(session: ReactionSession) throws(FlourishError) {
        effects = try session.pageEffects()
    }

    /// Returns the descriptions in a style.
    func descriptions(in style: ReactionStyle) -> PanelResponse {
        if let descriptions, descriptions.style == style { return descriptions.response }
        let text = effects.json(in: style) { "\(Self.folder)\($0)\(Self.suffix)" }
        let response = PanelResponse.json(text)
        descriptions = (style, response)
        return response
    }

    /// Returns the sprite with a path, such as `sprites/3.png?height=512`; `nil` for any other path.
    func sprite(at path: Substring, _ query: RequestQuery) -> PanelResponse? {
        guard path.hasPrefix(Self.folder), path.hasSuffix(Self.suffix),
            let number = Int(path.dropFirst(Self.folder.count).dropLast(Self.suffix.count)),
            (0..<effects.spriteCount).contains(number),
            let height = Self.heights.first(where: { "\($0)" == query["height"] ?? "\(Self.heights[1])" })
        else { return nil }
        let sprite = Sprite(number: number, height: height)
        if let known = sprites[sprite] { return known }
        let png = effects.spritePNG(number, height: height)
        let response =
            png.map { PanelResponse(type: "image/png", .bytes(ByteBuffer(bytes: $0))) }
            ?? .text(.notFound, "this sprite cannot be drawn\n")
        sprites[sprite] = response
        return response
    }
}
