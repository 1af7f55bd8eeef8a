import Effects
import Foundation
import Raster
import TestSupport
import Testing
@testable import Vision

@testable import Pipeline
@testable import Reactions

@Suite struct PlaceChoiceTests {
    private let catalog: EffectCatalog

    init() throws {
        catalog = try EffectCatalog(resources: Resources(assets: Repository.root.appending(path: "Assets").path))
    }

    /// The middle of the figure at the best place, as fractions of the picture, and its radius in heights.
    private func figure(
        _ type: ReactionType, faces: [Rectangle], hand: PicturePoint? = nil, near preset: PicturePoint,
        aspectRatio: Double = 16 / 9
    ) throws -> (x: Double, y: Double, radius: Double) {
        let footprint = try #require(catalog.library.descriptions[type.rawValue]?.footprint)
        let place = PlaceChoice(footprint: footprint, aspectRatio: aspectRatio, faces: faces, hand: hand)
            .best(near: preset)
        let centre = footprint.centre(originX: place.x, originY: place.y, aspectRatio: aspectRatio)
        return (centre.x / aspectRatio, centre.y, footprint.halves(aspectRatio: aspectRatio).height)
    }

    private let near = Rectangle(left: 0.38, top: 0.2, right: 0.62, bottom: 0.7)

    @Test("Effects that fill the frame have no figure to place")
    func figures() {
        let placed = catalog.library.descriptions.filter { $0.value.footprint != nil }.keys.sorted()
        #expect(placed == ["thumbsDown", "thumbsUp"])
    }

    @Test("Without a face effects start at their described place")
    func withoutAFace() throws {
        let preset = PicturePoint(x: 0.74, y: 0.45)
        let footprint = try #require(catalog.library.descriptions["thumbsUp"]?.footprint)
        let choice = PlaceChoice(footprint: footprint, aspectRatio: 16 / 9, faces: [], hand: nil)
        #expect(choice.best(near: preset) == preset)
    }

    @Test("A figure without a gesture appears beside the face", arguments: [16.0 / 9, 4.0 / 3])
    func withoutAGesture(aspectRatio: Double) throws {
        let place = try figure(
            .thumbsUp, faces: [near], near: PicturePoint(x: 0.5, y: 0.66), aspectRatio: aspectRatio)
        let reach = place.radius / aspectRatio
        #expect(place.x + reach < near.left + 0.01 || place.x - reach > near.right - 0.01, "\(place)")
        #expect(place.x - reach > -0.02 && place.x + reach < 1.02)
    }

    @Test("A thumb's bubble keeps off the face wherever that is", arguments: [0.1, 0.3, 0.5, 0.7, 0.9])
    func thumb(middle: Double) throws {
        let face = Rectangle(left: middle - 0.1, top: 0.25, right: middle + 0.1, bottom: 0.6)
        let place = try figure(.thumbsUp, faces: [face], near: PicturePoint(x: 0.74, y: 0.45))
        let reach = place.radius * 9 / 16
        let isBeside = place.x + reach < face.left + 0.01 || place.x - reach > face.right - 0.01
        #expect(isBeside || place.y - place.radius > face.bottom || place.y + place.radius < face.top, "\(place)")
    }

    @Test(
        "A gestured thumb's bubble is beside the hand, neither on it nor on the face",
        arguments: [0.05, 0.2, 0.35, 0.65, 0.8, 0.95])
    func gesturedThumb(x: Double) throws {
        let hand = PicturePoint(x: x, y: 0.6)
        let face = Rectangle(left: 0.43, top: 0.2, right: 0.57, bottom: 0.5)
        let place = try figure(.thumbsUp, faces: [face], hand: hand, near: hand)
        let dx = (place.x - hand.x) * 16 / 9, dy = place.y - hand.y
        let distance = (dx * dx + dy * dy).squareRoot()
        #expect(distance > place.radius + 0.02 && distance < 0.6, "\(place)")
        let faceX = (place.x - 0.5) * 16 / 9, faceY = place.y - 0.35
        #expect((faceX * faceX + faceY * faceY).squareRoot() > place.radius + 0.08, "\(place)")
    }
}
