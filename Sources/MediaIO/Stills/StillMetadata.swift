/// What a photograph's file tells of it beside the picture.
package struct StillMetadata: Sendable, Hashable, Codable {
    /// What is to be seen, in a few words.
    package var description: String?
    /// What other programs are told, as text of their own choice.
    package var comment: String?
    /// The program that made it.
    package var software: String?
    /// When it was taken: seconds since 1970 in UTC; nil where nobody knows.
    package var captureTime: Double?
    /// Where it was taken.
    package var location: Location?

    package init() {}

    /// A place on the earth.
    package struct Location: Sendable, Hashable, Codable {
        /// Degrees, north and east above 0.
        package var latitude, longitude: Double
        /// Metres above the sea.
        package var altitude: Double?

        package init(latitude: Double, longitude: Double, altitude: Double? = nil) {
            (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
        }

        /// Whether there is such a place.
        var isOnEarth: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }

        /// What phones write into recordings: `+52.5200+013.4050+034.0/` (ISO 6709, annex H, in degrees).
        ///
        /// - Returns: nil for anything else.
        package init?(iso6709 text: String) {
            var numbers: [String] = []
            for character in text.prefix(while: { $0 != "/" && $0 != "C" }) {
                switch character {
                case "+", "-": numbers.append(String(character))
                case "0"..."9", ".": if !numbers.isEmpty { numbers[numbers.count - 1].append(character) }
                default: return nil
                }
            }
            let values = numbers.compactMap(Double.init)
            guard values.count == numbers.count, values.count >= 2 else { return nil }
            self.init(latitude: values[0], longitude: values[1], altitude: values.count > 2 ? values[2] : nil)
            if !isOnEarth { return nil }
        }
    }

    /// What a recording's metadata say of a picture in it.
    ///
    /// - Parameters:
    ///   - metadata: FFmpeg's, of the file.
    ///   - seconds: From the recording's first picture.
    package init(recording metadata: [String: String], at seconds: Double) {
        if let text = metadata["creation_time"], let start = CivilTime(text) { captureTime = start.seconds + seconds }
        let keys = ["com.apple.quicktime.location.ISO6709", "location", "location-eng"]
        location = keys.lazy.compactMap { metadata[$0].flatMap(Location.init(iso6709:)) }.first
    }
}
