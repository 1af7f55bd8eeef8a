/// The cameras of a run that shows one of them, behind the properties `camera` and `cameras`.
package struct CameraChoice: Sendable {
    /// The connected cameras: their unique names and their titles.
    let cameras: @Sendable () -> [(name: String, title: String)]
    /// The name of the camera that is shown; `nil` for the first one.
    let camera: @Sendable () -> String?
    /// Shows the camera with a name; `nil` for the first one.
    let choose: @Sendable (String?) -> Void

    package init(
        cameras: @escaping @Sendable () -> [(name: String, title: String)], camera: @escaping @Sendable () -> String?,
        choose: @escaping @Sendable (String?) -> Void
    ) {
        (self.cameras, self.camera, self.choose) = (cameras, camera, choose)
    }

    /// The connected cameras as a value of the control protocol.
    var list: ControlValue {
        .list(cameras().map { .object(["name": .text($0.name), "title": .text($0.title)]) })
    }
}
