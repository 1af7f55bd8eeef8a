/// Conditions that make hands hard to detect. Clips of photos are made under each.
enum Condition: String, CaseIterable, Encodable, Sendable {
    case plain, dark, backlit
    case blurred = "motion blur"
    case lowBitRate = "low bit rate"
    case lowResolution = "360p"
    /// The size of a raised hand in a room.
    case room
    /// A hand of a tenth of the picture's height.
    case far = "hand 10 % high"
    /// A hand of a twentieth of the picture's height.
    case distant = "hand 5 % high"

    /// The size of the clips.
    var canvas: (width: Int, height: Int) { isFar ? (1280, 720) : (640, 480) }

    private var isFar: Bool { self == .far || self == .distant }

    /// Returns the height of a photo in the canvas, in pixels. A hand takes some three quarters of a tight crop.
    func pictureHeight(isTightCrop: Bool) -> Int {
        guard isTightCrop else { return canvas.height }
        return switch self {
        case .plain: 480
        case .dark, .backlit, .blurred: 400
        case .lowBitRate: 330
        case .room: 300
        case .lowResolution: 220
        case .far: 96
        case .distant: 48
        }
    }

    /// FFmpeg's filters for the whole picture. `turn` chooses the blur's direction.
    func filter(turn: Int) -> String {
        switch self {
        case .plain: "noise=alls=5:allf=t"
        // A dim room: less than half of the light, raised by a gamma, with the noise of a camera in low light.
        case .dark: "lutyuv=y='16+219*0.45*pow(max(val-16,0)/219,1.6)',noise=alls=9:allf=t"
        // Before a window: bright parts stay bright, and all others become dark.
        case .backlit:
            "lutyuv=y='16+219*(0.12*max(val-16,0)/219+0.88*pow(max(val-16,0)/219,3.2))',noise=alls=5:allf=t"
        case .blurred: "dblur=angle=\(turn % 6 * 30):radius=9,noise=alls=4:allf=t"
        case .lowBitRate, .far, .distant: "noise=alls=3:allf=t"
        case .lowResolution: "scale=480:360,noise=alls=5:allf=t,scale=640:480"
        case .room: "noise=alls=6:allf=t"
        }
    }

    /// The quality that x264 is asked for.
    var rateFactor: Int { self == .lowBitRate ? 36 : 22 }
}
