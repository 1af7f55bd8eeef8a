/// The metadata of a photograph's file.
package struct StillMetadata: Sendable, Hashable, Codable {
    /// A short description of the picture's content.
    package var description: String?
    /// A comment for other programs.
    package var comment: String?
    /// The program that wrote the file.
    package var software: String?
    /// The capture time: seconds since 1970 in UTC; nil if unknown.
    package var captureTime: Double?
    /// The capture location.
    package var location: Location?

    package init() {}

    /// A location on the earth.
    package struct Location: Sendable, Hashable, Codable {
        /// Degrees; north and east are positive.
        package var latitude, longitude: Double
        /// Metres above the sea.
        package var altitude: Double?

        package init(latitude: Double, longitude: Double, altitude: Double? = nil) {
            (self.latitude, self.longitude, self.altitude) = (latitude, longitude, altitude)
        }

        /// A Boolean value that indicates whether the coordinates are valid.
        var isOnEarth: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }

        /// Parses a location in the form that phones write into recordings: `+52.5200+013.4050+034.0/` (ISO 6709, annex
        /// H, in degrees).
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

    /// Creates the metadata of a picture in a recording.
    ///
    /// - Parameters:
    ///   - metadata: FFmpeg's tags of the file.
    ///   - seconds: The time from the recording's first picture.
    package init(recording metadata: [String: String], at seconds: Double) {
        if let text = metadata["creation_time"], let start = CivilTime(text) { captureTime = start.seconds + seconds }
        let keys = ["com.apple.quicktime.location.ISO6709", "location", "location-eng"]
        location = keys.lazy.compactMap { metadata[$0].flatMap(Location.init(iso6709:)) }.first
    }
}
