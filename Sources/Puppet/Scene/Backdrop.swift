import Raster

/// The part of the picture that never moves, drawn once.
struct Backdrop: Sendable {
    let format: PictureFormat
    private let planes: [[UInt8]]

    init(format: PictureFormat, look: SceneLook, grain: Grain, torso: Layer?) {
        self.format = format
        let memory = PlaneBuffer(format: format)
        memory.withPicture { picture in
            let room = Room(width: format.width, height: format.height, look: look).draw()
            room.composite(onto: &picture, grain: grain, strength: look.noise * 0.5, frame: 0)
            torso?.composite(onto: &picture, grain: grain, strength: look.noise * 0.5, frame: 1)
        }
        planes = memory.planes()
    }

    /// Copies it over all of a picture of the same format.
    func copy(into picture: inout MutablePicture) {
        for plane in Plane.allCases {
            let width = format.width(of: plane)
            let height = format.height(of: plane)
            let source = planes[plane.rawValue]
            picture.with8BitPlane(plane) { samples, stride in
                unsafe samples.withUnsafeMutableBufferPointer { target in
                    unsafe source.withUnsafeBufferPointer { source in
                        guard let to = target.baseAddress, let from = source.baseAddress else { return }
                        for row in 0..<height {
                            unsafe (to + row * stride).update(from: from + row * width, count: width)
                        }
                    }
                }
            }
        }
    }
}
