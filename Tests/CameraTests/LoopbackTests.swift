import Flourish
import Foundation
import MediaIO
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Camera

/// The device for programs that read `/dev/video*`, against a stub of the driver.
@Suite("Pictures in a loopback device") struct LoopbackTests {
    private static let picture = CameraMode(.i420, width: 8, height: 4, rate: 30)

    /// A planar picture of one luma, without colour.
    private func picture(_ luma: UInt8, _ mode: CameraMode = picture) -> [UInt8] {
        [UInt8](repeating: luma, count: mode.width * mode.height)
            + [UInt8](repeating: 128, count: mode.width * mode.height / 2)
    }

    /// The same picture in YUY2.
    private func yuy2(_ luma: UInt8) -> [UInt8] { (0..<32).flatMap { _ in [luma, 128] } }

    /// Writes to a device, and records what it reports.
    private final class Writer {
        let delivery: LoopbackDelivery
        let output: LoopbackOutput
        let readers = Channel<Bool>(capacity: 64)
        let failures = Channel<FlourishError>(capacity: 64)

        init(_ fake: FakeLoopback, still: [UInt8], picture: CameraMode = LoopbackTests.picture) throws {
            output = try fake.output()
            delivery = try LoopbackDelivery(output, picture, FramePool())
            var still = still
            try delivery.start(
                still: &still, readersChanged: { [readers] in readers.sendNewest($0) },
                failed: { [failures] in failures.sendNewest($0) })
        }

        func deliver(_ picture: [UInt8]) throws {
            var picture = picture
            try delivery.deliver(&picture)
        }
    }

    @Test(arguments: FakeLoopback.Version.withEvent)
    func picturesAreWrittenOnlyWhileAProgramReads(_ version: FakeLoopback.Version) throws {
        let fake = FakeLoopback(version)
        #expect(throws: RawFileError(number: EIO)) { try fake.read(true) }
        let writer = try Writer(fake, still: picture(40))
        #expect(writer.readers.receive() == false)
        #expect(fake.state.withLock { $0.rate } == Self.picture)
        try writer.deliver(picture(100))
        #expect(fake.pictures == [yuy2(40)], "the still picture makes the device a camera")
        for _ in 1...3 {
            try fake.read(true)
            #expect(writer.readers.receive() == true)
            try writer.deliver(picture(100))
            try writer.deliver(picture(101))
            try fake.read(false)
            #expect(writer.readers.receive() == false)
            try writer.deliver(picture(102))
            // The next reader does not see the last picture of the one before.
            #expect(fake.pictures.suffix(3) == [yuy2(100), yuy2(101), yuy2(40)])
        }
        #expect(fake.pictures.count == 10)
    }

    @Test(arguments: FakeLoopback.Version.withEvent)
    func aProgramThatReadsAlreadyIsReported(_ version: FakeLoopback.Version) throws {
        let fake = FakeLoopback(version)
        do {
            let first = try Writer(fake, still: picture(40))
            try fake.read(true)
            while first.readers.receive() != true {}
            first.output.stop()
            #expect(fake.pictures.last == yuy2(40))
        }
        fake.state.withLock { $0.writer = nil }
        let second = try Writer(fake, still: picture(41))
        while second.readers.receive() != true {}
        try second.deliver(picture(100))
        #expect(fake.pictures.last == yuy2(100))
    }

    @Test func aFormatThatTheDriverKeepsIsWritten() throws {
        let fake = FakeLoopback(.late)
        // Half as wide: the picture fits with a black border above and below.
        let kept = LoopbackFormat(code: CameraFormat.i420.code, width: 4, height: 4, stride: 4, size: 24)
        fake.state.withLock { ($0.format, $0.hasReader) = (kept, true) }
        let writer = try Writer(fake, still: picture(200))
        let bytes = try #require(fake.pictures.first)
        #expect(bytes.count == 24)
        #expect(bytes.prefix(16).contains(200) && bytes.prefix(16).contains(16))
        #expect(bytes.suffix(8).allSatisfy { $0 == 128 })
        _ = writer
    }

    @Test func rowsHaveTheDriversStride() throws {
        let fake = FakeLoopback(.late, padding: 16)
        _ = try Writer(fake, still: picture(90))
        let bytes = try #require(fake.pictures.first)
        #expect(bytes.count == 32 * 4)
        for row in 0..<4 {
            #expect(Array(bytes[32 * row..<32 * row + 16]) == Array(yuy2(90).prefix(16)))
        }
    }

    @Test func aFormatThatCannotBeWrittenIsRefused() throws {
        let fake = FakeLoopback(.late)
        let jpeg = LoopbackFormat(code: 0x4750_4A4D, width: 8, height: 4, stride: 0, size: 64)
        fake.state.withLock { ($0.format, $0.hasReader) = (jpeg, true) }
        let error = #expect(throws: FlourishError.self) { try Writer(fake, still: picture(40)) }
        #expect(error?.code == .outputUnavailable)
        #expect(
            error?.problem.contains("/dev/video10: the device keeps a format that is not written (MJPG, 8×4)") == true)
    }

    @Test(arguments: FakeLoopback.Version.withEvent)
    func aSecondWriterIsRefused(_ version: FakeLoopback.Version) throws {
        let fake = FakeLoopback(version)
        let first = try Writer(fake, still: picture(40))
        let error = #expect(throws: FlourishError.self) { try Writer(fake, still: picture(41)) }
        #expect(error == LoopbackFault.busy("/dev/video10"))
        #expect(fake.pictures == [yuy2(40)])
        _ = first
    }

    @Test func aDriverWithoutTheEventIsRefused() {
        let error = #expect(throws: FlourishError.self) { try FakeLoopback(.silent).output() }
        #expect(error?.code == .unavailable)
        #expect(error?.problem.contains("install 0.13 or later") == true)
    }

    @Test func aRemovedDeviceIsReportedOnce() throws {
        let fake = FakeLoopback(.late)
        let writer = try Writer(fake, still: picture(40))
        try fake.read(true)
        while writer.readers.receive() != true {}
        fake.remove()
        let error = try #require(writer.failures.receive())
        #expect(error.code == .inputOutput)
        #expect(error.problem.hasPrefix("/dev/video10: the device"))
        try writer.deliver(picture(100))
        writer.output.stop()
        #expect(fake.pictures.count == 1)
        writer.failures.finish()
        #expect(writer.failures.receive() == nil)
    }

    // MARK: Paths that are no such device

    @Test func otherFilesAreRefusedWithTheirRemedy() throws {
        try withTemporaryFolder { folder in
            let (plain, pipe) = (folder.appending(path: "plain").path, folder.appending(path: "pipe").path)
            try Data().write(to: URL(filePath: plain))
            try makeNamedPipe(at: URL(filePath: pipe))
            for path in [plain, pipe, folder.path, "/dev/null"] {
                let error = #expect(throws: FlourishError.self) { try LoopbackOutput(path) }
                #expect(error?.code == .outputUnavailable)
                #expect(
                    error?.problem == "\(path): this is no video device; name one of v4l2loopback, such as /dev/video10"
                )
            }
            let error = #expect(throws: FlourishError.self) { try LoopbackOutput("/dev/video250") }
            #expect(error?.problem.hasPrefix("/dev/video250: there is no such device; create it with: sudo ") == true)
            #expect(
                error?.problem.hasSuffix(
                    "modprobe v4l2loopback devices=1 exclusive_caps=1 card_label=Flourish video_nr=250") == true)
        }
    }

    @Test func aRealCameraIsRefused() {
        final class Webcam: LoopbackDevice {
            func identify() -> LoopbackIdentity {
                LoopbackIdentity(driver: "uvcvideo", card: "Webcam", acceptsPictures: false)
            }
            func setFormat(_ format: LoopbackFormat) -> LoopbackFormat { format }
            func setRate(_ mode: CameraMode) {}
            func subscribe(to event: UInt32) { Issue.record("a camera was configured") }
            func waitForEvent() -> Bool { false }
            func stopWaiting() {}
            func nextEvent() -> (event: UInt32, value: UInt32)? { nil }
            func write(_ picture: [UInt8]) -> Int { 0 }
        }
        let error = #expect(throws: FlourishError.self) {
            try LoopbackOutput("/dev/video0") { _ throws(RawFileError) in Webcam() }
        }
        #expect(error?.problem.hasPrefix("/dev/video0: this is a device of uvcvideo, not of v4l2loopback") == true)
    }

    @Test(arguments: [(EACCES, "usermod -aG video"), (EBUSY, "another program writes"), (ENOENT, "modprobe")])
    func aDeviceThatCannotBeOpenedNamesTheRemedy(_ number: Int32, _ remedy: String) {
        let error = #expect(throws: FlourishError.self) {
            try LoopbackOutput("/dev/video10") { _ throws(RawFileError) in throw RawFileError(number: number) }
        }
        #expect(error?.code == .outputUnavailable)
        #expect(error?.problem.hasPrefix("/dev/video10: ") == true && error?.problem.contains(remedy) == true)
    }

    // MARK: The doctor

    @Test func theDoctorNamesTheMissingPart() throws {
        try withTemporaryFolder { folder in
            func examine(_ fault: FlourishError? = nil) -> Doctor.Finding {
                LoopbackModule.examine(system: folder.path, devices: "/dev") { _ throws(FlourishError) in
                    if let fault { throw fault }
                }
            }
            let command = "sudo modprobe v4l2loopback devices=1 exclusive_caps=1 card_label=Flourish"
            let without = examine()
            #expect(!without.isGood && without.isOptional && without.detail.contains("is not loaded"))
            #expect(without.remedy?.hasSuffix("run: \(command)") == true)

            let files = FileManager.default
            try files.createDirectory(
                at: folder.appending(path: "module/v4l2loopback"), withIntermediateDirectories: true)
            let empty = examine()
            #expect(!empty.isGood && empty.detail.contains("without a device"))
            #expect(empty.remedy == "run: sudo modprobe -r v4l2loopback; \(command)")

            try files.createDirectory(
                at: folder.appending(path: "devices/virtual/video4linux/video10"), withIntermediateDirectories: true)
            #expect(examine().isGood && examine().detail.contains("--v4l2 /dev/video10"))
            #expect(examine(LoopbackFault.busy("/dev/video10")).isGood)
            let closed = examine(LoopbackFault.opening("/dev/video10", RawFileError(number: EACCES)))
            #expect(!closed.isGood && closed.detail == "/dev/video10: permission denied")
            #expect(closed.remedy == "join the group video (sudo usermod -aG video $USER), and log in again")
        }
    }

    // MARK: When the real camera is open

    @Test func readersOfEitherDoorOpenTheCamera() {
        let inbox = CameraInbox()
        let readers = CameraReaders(inbox)
        func sent() -> Bool? {
            guard case .event(.readers(let hasReaders)) = inbox.receive() else { return nil }
            return hasReaders
        }
        let steps: [(CameraReaders.Door, Bool, Bool)] = [
            (.loopback, true, true), (.pipeWire, true, true), (.loopback, false, true), (.pipeWire, false, false),
            (.loopback, false, false),
        ]
        for (door, hasReaders, expected) in steps {
            readers.set(door, hasReaders)
            #expect(sent() == expected)
        }
    }

    @Test func theDeviceThatIsWrittenIsNeverRead() {
        let own = CameraDevice(id: 1, name: "v4l2_input.loop", title: "Loop (V4L2)", modes: [], path: "/dev/video10")
        let webcam = CameraDevice(id: 2, name: "v4l2_input.usb", title: "Webcam", modes: [], path: "/dev/video0")
        var policy = CameraPolicy(wanted: "Loop", ownName: "Flourish", ownPath: "/dev/video10")
        for device in [own, webcam] { _ = policy.handle(.added(device), at: 0) }
        #expect(policy.devices == [webcam])
        #expect(policy.handle(.readers(true), at: 1).first == .card("the camera Loop is not connected"))
        #expect(policy.handle(.wanted("/dev/video0"), at: 2).first == .open(webcam))
    }
}
