import FoundationEssentials
package import Gestures

/// A file to learn from, and what hands in it show when: a line of what `evaluate --lessons` writes.
package struct PictureLesson: Decodable, Sendable {
    package struct Span: Decodable, Sendable {
        /// Nothing is learned where it is missing.
        package var shows: HandPictureClass?
        /// Whether two hands make a heart; see ``teachesHearts``.
        package var isHeart: Bool?
        package var source: String
        /// A judge that learned without this fold has seen nobody of this source.
        package var fold: Int
        package var start: Double
        package var end: Double

        /// Whether it is known of two hands if they make a heart.
        package var teachesHearts: Bool { isHeart == true || shows != nil }
    }

    package enum Kind: String, Decodable, Sendable, CaseIterable { case photo, clip, video }

    package var file: String
    package var kind: Kind
    package var spans: [Span]

    /// What the hands of a look show.
    package func span(at time: Double) -> Span? { spans.first { $0.start <= time && time <= $0.end } }

    /// The lessons of a folder.
    package static func all(in folder: String) throws -> [PictureLesson] {
        let lines = try String(contentsOf: URL(filePath: folder + "/lessons.jsonl"), encoding: .utf8)
        return try lines.split(separator: "\n").map { try JSONDecoder().decode(Self.self, from: Data($0.utf8)) }
    }
}

extension HandPictureClass: Decodable {}
