import Foundation
import TestSupport
@testable import Vision

/// A photo of the shared footage with the landmarks that MediaPipe found in it.
struct ReferencePhoto {
    let path: String
    let file: URL
    let width: Int
    let height: Int
    /// Normalised as in ``HandLandmarks``.
    var hands: [[Landmark]]

    /// All photos of `keep_images_mediapipe.csv` in its order; none where it is absent.
    static let all: [ReferencePhoto] = {
        guard let table = SharedMedia.file("landmarks/keep_images_mediapipe.csv"),
            let text = try? String(contentsOf: table, encoding: .utf8)
        else { return [] }
        var photos: [ReferencePhoto] = []
        for line in text.split(whereSeparator: \.isNewline).dropFirst() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            let path = String(fields[0])
            guard let width = Int(fields[2]), let height = Int(fields[3]),
                let file = SharedMedia.file(path)
            else { continue }
            if photos.last?.path != path {
                photos.append(
                    ReferencePhoto(path: path, file: file, width: width, height: height, hands: []))
            }
            let values = fields[8...].compactMap { Double($0) }
            guard values.count == 63 else { continue }
            let points = (0..<21).map {
                Landmark(
                    x: values[3 * $0] / Double(width), y: values[3 * $0 + 1] / Double(height),
                    z: values[3 * $0 + 2] / Double(width))
            }
            photos[photos.count - 1].hands.append(points)
        }
        return photos
    }()
}
