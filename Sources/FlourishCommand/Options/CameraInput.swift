import Camera
import Flourish

/// Inputs that are cameras of PipeWire: `pipewire:NAME`.
enum CameraInput {
    /// Opens a camera, if the input is one.
    ///
    /// - Returns: The path to read, which is the input itself if it is no camera.
    /// - Throws: ``FlourishError/Code/usage`` for an invalid size or rate, ``FlourishError/Code/unavailable`` without PipeWire.
    static func open(_ input: String, _ configuration: inout Configuration) throws(FlourishError) -> String {
        guard input.hasPrefix(CameraFeed.prefix) else { return input }
        let name = String(input.dropFirst(CameraFeed.prefix.count))
        var setup = CameraRun.Setup()
        setup.camera = name.isEmpty ? nil : name
        let options = configuration.input
        if let rate = options.frameRate {
            guard let rate = Double(rate), (1...240).contains(rate) else {
                throw FlourishError(.usage, "--framerate must be 1 to 240 for a camera, not \(rate)")
            }
            setup.picture.rate = rate
        }
        if let size = options.videoSize {
            guard let size = PictureSize(ofCamera: size) else {
                throw FlourishError(.usage, PictureSize.cameraFault(size))
            }
            (setup.picture.width, setup.picture.height) = (size.width, size.height)
        } else {
            try setup.chooseSize()
        }
        let feed = try CameraFeed(name, picture: setup.picture) { Console.error($0) }
        configuration.input.format = "yuv4mpegpipe"
        (configuration.input.videoSize, configuration.input.frameRate) = (nil, nil)
        return feed.path
    }
}
