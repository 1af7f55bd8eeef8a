import Testing

@testable import Camera

@Suite("When the real camera is open")
struct CameraPolicyTests {
    private static let webcam = CameraDevice(id: 40, name: "v4l2.webcam", title: "Webcam", modes: [])
    private static let other = CameraDevice(id: 41, name: "v4l2.other", title: "Other", modes: [])

    private func policy(wanted: String? = nil, _ devices: CameraDevice...) -> CameraPolicy {
        var policy = CameraPolicy(wanted: wanted, ownName: "Flourish")
        for device in devices { #expect(policy.handle(.added(device), at: 0).isEmpty) }
        return policy
    }

    @Test func opensForTheFirstReaderAndClosesAfterTheLast() {
        var policy = policy(Self.webcam)
        #expect(policy.handle(.readers(true), at: 1) == [.open(Self.webcam), .card("Webcam starts")])
        #expect(policy.handle(.readers(true), at: 1.1).isEmpty)
        #expect(policy.handle(.picture, at: 1.2) == [.report("reading the camera Webcam")])
        #expect(policy.handle(.picture, at: 1.3).isEmpty)
        #expect(policy.handle(.readers(false), at: 2) == [.close])
        #expect(!policy.needsTicks)
        #expect(policy.deadline == nil)
    }

    /// The panel shows the reason, whether or not a card does.
    @Test func namesTheReasonWithoutAPicture() {
        var policy = policy()
        #expect(policy.absence == "no program reads the camera Flourish")
        _ = policy.handle(.readers(true), at: 1)
        #expect(policy.absence == "no camera is connected")
        _ = policy.handle(.added(Self.webcam), at: 2)
        #expect(policy.absence == "Webcam starts")
        _ = policy.handle(.picture, at: 2.1)
        #expect(policy.absence == nil)
        _ = policy.handle(.failed("it is busy"), at: 3)
        #expect(policy.absence == "Webcam: it is busy")
        _ = policy.tick(4.5)
        _ = policy.handle(.picture, at: 5)
        #expect(policy.absence == nil)
        _ = policy.handle(.readers(false), at: 6)
        #expect(policy.absence == "no program reads the camera Flourish")
    }

    @Test func readersThatComeAndGoLeaveTheCameraClosed() {
        var policy = policy(Self.webcam)
        var isOpen = false
        for turn in 0..<500 {
            for (step, event) in [CameraPolicy.Event.readers(true), .picture, .readers(false)].enumerated() {
                for command in policy.handle(event, at: Double(turn) + Double(step) / 10) {
                    switch command {
                    case .open:
                        #expect(!isOpen)
                        isOpen = true
                    case .close:
                        #expect(isOpen)
                        isOpen = false
                    default: break
                    }
                }
            }
            #expect(!isOpen)
        }
    }

    @Test func showsACardWithoutACameraAndOpensTheOneThatIsPluggedIn() {
        var policy = policy()
        let text = "no camera is connected"
        #expect(policy.handle(.readers(true), at: 1) == [.card(text), .report(text)])
        #expect(policy.tick(1.5).isEmpty)
        #expect(policy.handle(.added(Self.webcam), at: 5) == [.open(Self.webcam), .card("Webcam starts")])
    }

    @Test func anUnpluggedCameraIsOpenedAgainWhenItReturns() {
        var policy = policy(Self.webcam)
        _ = policy.handle(.readers(true), at: 1)
        _ = policy.handle(.picture, at: 1.2)
        let commands = policy.handle(.removed(40), at: 3)
        #expect(commands.first == .close)
        #expect(commands.contains(.report("the camera Webcam was unplugged")))
        #expect(commands.contains(.card("no camera is connected")))
        var returned = Self.webcam
        returned.id = 55
        #expect(policy.handle(.added(returned), at: 9).contains(.open(returned)))
    }

    @Test func theChosenCameraReplacesTheOpenOne() {
        var policy = policy(Self.webcam, Self.other)
        #expect(policy.handle(.wanted("v4l2.other"), at: 0).isEmpty, "no program reads")
        #expect(policy.handle(.readers(true), at: 1).contains(.open(Self.other)))
        #expect(policy.handle(.wanted("web"), at: 2) == [.close, .open(Self.webcam), .card("Webcam starts")])
        // The same one is not opened again.
        #expect(policy.handle(.wanted(nil), at: 3).isEmpty)
        #expect(policy.handle(.wanted("none"), at: 4).contains(.card("the camera none is not connected")))
        #expect(policy.handle(.wanted(nil), at: 5).contains(.open(Self.webcam)))
    }

    @Test func anotherCameraReplacesAnUnpluggedOneUnlessOneIsNamed() {
        var any = policy(Self.webcam, Self.other)
        _ = any.handle(.readers(true), at: 1)
        #expect(any.handle(.removed(40), at: 2).contains(.open(Self.other)))

        var named = policy(wanted: "web", Self.webcam, Self.other)
        _ = named.handle(.readers(true), at: 1)
        let commands = named.handle(.removed(40), at: 2)
        #expect(!commands.contains(.open(Self.other)))
        #expect(commands.contains(.card("the camera web is not connected")))
    }

    @Test func aCameraWithoutPicturesIsClosedAndTriedAgain() {
        var policy = policy(Self.webcam)
        _ = policy.handle(.readers(true), at: 1)
        #expect(policy.tick(3.9).isEmpty)
        let commands = policy.tick(4)
        #expect(
            commands == [.close, .card("Webcam: it delivers no picture"), .report("Webcam: it delivers no picture")])
        #expect(policy.tick(4.5).isEmpty)
        #expect(policy.tick(5) == [.open(Self.webcam), .card("Webcam starts")])
    }

    @Test func aCameraThatStallsLaterIsTriedAgain() {
        var policy = policy(Self.webcam)
        _ = policy.handle(.readers(true), at: 1)
        for time in stride(from: 1.5, to: 10, by: 0.5) { _ = policy.handle(.picture, at: time) }
        #expect(policy.tick(12).isEmpty)
        #expect(policy.tick(12.6).first == .close)
    }

    @Test func aRefusalIsReportedOnceWhileItLasts() {
        var policy = policy(Self.webcam)
        _ = policy.handle(.readers(true), at: 1)
        var reports = 0
        var time = 1.0
        for _ in 0..<20 {
            reports += policy.handle(.failed("permission denied"), at: time).count {
                $0 == .report("Webcam: permission denied")
            }
            time += 1
            _ = policy.tick(time)
        }
        // The card "starts" comes between two refusals.
        #expect(reports == 1)
    }

    @Test func aLostConnectionClosesTheCameraAndForgetsDevices() {
        var policy = policy(Self.webcam)
        _ = policy.handle(.readers(true), at: 1)
        #expect(policy.handle(.lost("broken pipe"), at: 2).first == .close)
        #expect(policy.handle(.readers(true), at: 3).contains(.card("no camera is connected")))
    }

    @Test func doesNotReadItsOwnCamera() {
        var policy = policy()
        _ = policy.handle(.added(CameraDevice(id: 9, name: "Flourish", title: "Flourish", modes: [])), at: 0)
        #expect(policy.handle(.readers(true), at: 1).first == .card("no camera is connected"))
    }

    @Test func readsAnotherCameraOfFlourishOnlyOnRequest() {
        let second = CameraDevice(id: 9, name: "Second", title: "Second", modes: [], isOffered: true)
        var policy = policy(second)
        #expect(
            policy.handle(.readers(true), at: 1).first == .card("no camera is connected; to read Second, choose it"))
        #expect(policy.handle(.wanted("second"), at: 2).first == .open(second))
        #expect(policy.handle(.added(Self.webcam), at: 3).isEmpty)
        #expect(policy.handle(.wanted(nil), at: 4).prefix(2) == [.close, .open(Self.webcam)])
        #expect(policy.devices == [second, Self.webcam])
    }
}

@Suite("The mode of a camera")
struct CameraModeTests {
    private static let wish = CameraMode(.i420, width: 1280, height: 720, rate: 30)

    private func best(_ modes: CameraMode...) -> CameraMode? { CameraMode.best(of: modes, for: Self.wish) }

    @Test func aFastJPEGIsBetterThanSlowRawPictures() {
        let jpeg = CameraMode(.mjpg, width: 1280, height: 720, rate: 30)
        #expect(best(CameraMode(.yuy2, width: 1280, height: 720, rate: 10), jpeg) == jpeg)
    }

    @Test func rawPicturesAreBetterAtTheSameRate() {
        let raw = CameraMode(.yuy2, width: 1280, height: 720, rate: 30)
        #expect(best(CameraMode(.mjpg, width: 1280, height: 720, rate: 30), raw) == raw)
    }

    @Test func theSizeIsReachedIfPossible() {
        let full = CameraMode(.mjpg, width: 1920, height: 1080, rate: 30)
        #expect(best(CameraMode(.yuy2, width: 640, height: 480, rate: 30), full) == full)
        let wanted = CameraMode(.mjpg, width: 1280, height: 720, rate: 30)
        #expect(best(full, wanted) == wanted)
    }

    @Test func aCameraWithoutModesHasNone() { #expect(best() == nil) }
}
