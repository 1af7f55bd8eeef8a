import Reactions

@testable import Effects
@testable import Raster

/// A test picture with planes side by side in one array of 16-bit samples or bytes.
struct EffectTestFrame: Equatable {
    let format: PictureFormat
    var bytes: [UInt8]
    private let offsets: [Int]

    /// A smooth gradient: bright enough that dimming shows, dark enough that light does.
    init(_ format: PictureFormat, flat: Bool = false) {
        self.format = format
        var offsets: [Int] = []
        var size = 0
        for plane in Plane.allCases {
            offsets.append(size)
            size += format.width(of: plane) * format.height(of: plane) * format.bytesPerSample
        }
        self.offsets = offsets
        bytes = [UInt8](repeating: 0, count: size)
        for plane in Plane.allCases {
            for y in 0..<format.height(of: plane) {
                for x in 0..<format.width(of: plane) {
                    let value = flat || plane != .luma ? 120 : 60 + (x * 3 + y * 5) % 120
                    self[plane, x, y] = value << (format.bitDepth - 8)
                }
            }
        }
    }

    subscript(plane: Plane, x: Int, y: Int) -> Int {
        get {
            let i = offsets[plane.rawValue] + (y * format.width(of: plane) + x) * format.bytesPerSample
            return format.bytesPerSample == 1 ? Int(bytes[i]) : Int(bytes[i]) | Int(bytes[i + 1]) << 8
        }
        set {
            let i = offsets[plane.rawValue] + (y * format.width(of: plane) + x) * format.bytesPerSample
            bytes[i] = UInt8(truncatingIfNeeded: newValue)
            if format.bytesPerSample == 2 { bytes[i + 1] = UInt8(newValue >> 8) }
        }
    }

    mutating func lend(_ body: (inout MutablePicture) throws(EffectError) -> Void) throws(EffectError) {
        let format = format
        let offsets = offsets
        var failure: EffectError?
        unsafe bytes.withUnsafeMutableBytes { memory in
            func plane(_ plane: Plane) -> PlaneMemory {
                unsafe PlaneMemory(
                    address: memory.baseAddress! + offsets[plane.rawValue],
                    stride: format.width(of: plane) * format.bytesPerSample)
            }
            var picture = unsafe MutablePicture(
                unsafeFormat: format, planes: [plane(.luma), plane(.cb), plane(.cr)])
            do throws(EffectError) { try body(&picture) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// FNV-1a over all samples.
    var checksum: String {
        var hash = ContentHash()
        hash.add(bytes)
        return hash.digits
    }
}

enum EffectTestAssets {
    static let types = ReactionType.builtIn.map(\.rawValue).sorted()

    static var folder: String {
        #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/Assets"
    }

    /// The effects of the packs that come with the project.
    static let packTypes = (try? packs().descriptions.keys.filter { !types.contains($0) }.sorted()) ?? []

    /// The built-in effects, and those of the packs.
    static func packs() throws -> EffectLibrary {
        var library = try library()
        try library.add(folder: folder + "/Packs")
        return library
    }

    static func library() throws -> EffectLibrary { try EffectLibrary(assets: folder) }

    /// Stands in for an SVG renderer: draws the same shaded ball on every machine.
    static let rasterizer: SpriteRasterizer = { _, width, height in
        var image = RGBAImage(width: width, height: height)
        for y in 0..<height {
            for x in 0..<width {
                let u = Double(2 * x + 1) / Double(width) - 1
                let v = Double(2 * y + 1) / Double(height) - 1
                let r = u * u + v * v
                let grey = UInt8(min(max(200 - 120 * (r + 0.3 * (u + v)), 0), 255))
                let i = 4 * (y * width + x)
                image.pixels[i] = grey
                image.pixels[i + 1] = grey
                image.pixels[i + 2] = grey
                image.pixels[i + 3] = r < 0.9 ? 255 : 0
            }
        }
        return image
    }

    static func renderer(_ library: EffectLibrary? = nil) throws -> ParticleRenderer {
        ParticleRenderer(library: try library ?? self.library(), rasterizer: rasterizer)
    }

    /// A description with one emitter.
    static func description(_ emitter: String, more: String = "") throws(EffectError) -> EffectDescription {
        let json = #"{"type": "test", "duration": 3, "exit": 0, \#(more) "emitters": [{\#(emitter)}]}"#
        return try EffectDescription(json: Array(json.utf8), file: "test.json")
    }

    static func draw(
        _ instances: [EffectInstance], at time: Double, on format: PictureFormat, flat: Bool = false,
        geometry: DisplayGeometry? = nil, mask: BandMask? = nil, with renderer: ParticleRenderer? = nil
    ) throws -> EffectTestFrame {
        var frame = EffectTestFrame(format, flat: flat)
        let renderer = try renderer ?? self.renderer()
        let geometry = geometry ?? DisplayGeometry(storedWidth: format.width, storedHeight: format.height)
        try frame.lend { (picture) throws(EffectError) in
            try renderer.draw(instances, at: time, on: &picture, geometry: geometry, mask: mask)
        }
        return frame
    }
}
