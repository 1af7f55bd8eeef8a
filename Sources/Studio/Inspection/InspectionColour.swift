import Raster

/// The colours of what is drawn over inspected pictures.
struct InspectionColour: Hashable {
    /// 0…1, coded as on the screen.
    let red, green, blue: Double

    /// - Parameter hex: `0xRRGGBB`.
    init(_ hex: Int) {
        red = Double(hex >> 16 & 255) / 255
        green = Double(hex >> 8 & 255) / 255
        blue = Double(hex & 255) / 255
    }

    var channels: [Double] { [red, green, blue] }

    func tile(opacity: Double = 1) -> TileColour {
        TileColour(red: red, green: green, blue: blue, opacity: opacity)
    }

    static let text = InspectionColour(0xFFFFFF)
    static let faint = InspectionColour(0xB9C2CF)
    static let panel = InspectionColour(0x0B0E14)
    static let shade = InspectionColour(0x000000)

    /// While a gesture is held, and why there is none.
    static let pending = InspectionColour(0xFFC94D)
    static let fired = InspectionColour(0x63E58B)
    static let resting = InspectionColour(0x8FB8FF)

    /// The two hands.
    static let right = InspectionColour(0x35D0FF)
    static let left = InspectionColour(0xFF6FB5)

    /// Thumb, index, middle, ring and little finger.
    static let fingers = [0xFF5A4F, 0xFFB020, 0x4FD35F, 0x3D9BFF, 0xB56BFF].map { InspectionColour($0) }
}
