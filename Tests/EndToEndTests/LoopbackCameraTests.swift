import Foundation
import TestSupport
import Testing

/// The camera in a device of v4l2loopback, which a preloaded library imitates.
@Suite("The camera for programs that read /dev/video") struct LoopbackCameraTests {
    @Test(
        "the real camera is open only while a program reads the device",
        .enabled(if: PipeWireRig.isInstalled, "\(PipeWireRig.advice)"))
    func picturesAreWrittenWhileAProgramReads() async throws {
        try await Workbench.with { bench in
            let library = try #require(await bench.preloadedLibrary("loopback"))
            let size = 640 * 360 * 2
            let result = try await PipeWireRig.run(
                bench,
                """
                mkfifo readers; touch video10
                fake webcam I420 640x360 0xffffffff; node webcam > /dev/null || exit 3
                LD_PRELOAD='\(library)' LOOPBACK_DEVICE=$PWD/video10 LOOPBACK_PICTURES=$PWD/out.raw LOOPBACK_READERS=$PWD/readers \\
                    camera --v4l2 $PWD/video10 --video-size 640x360 --no-gestures
                await flourish.log "Flourish is ready" || exit 4
                count() { echo $(( $(stat -c %s out.raw) / \(size) )); }
                links() { pw-dump | python3 -c 'import json, sys; print(sum(i["type"].endswith("Link") for i in json.load(sys.stdin)))'; }
                sleep 0.5; count; links
                echo 1 > readers; await flourish.log "reading the camera webcam" || exit 5
                for _ in $(seq 100); do [ $(count) -gt 20 ] && break; sleep 0.1; done
                [ $(count) -gt 20 ] || exit 6
                links; cp out.raw during.raw
                echo 0 > readers; sleep 1; links
                before=$(count); sleep 0.5; [ $(count) = $before ] || exit 7
                kill -INT $camera_id; wait $camera_id
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            // Without a reader: one still picture, and no link to the real camera.
            #expect(result.outputLines == ["1", "0", "1", "0"])
            let written = try bench.bytes("out.raw")
            #expect(written.count.isMultiple(of: size))
            #expect(written.prefix(size) == written.suffix(size), "the still picture replaces the last one")
            let during = try bench.bytes("during.raw")
            let last = Array(during[(during.count / size - 1) * size..<during.count / size * size])
            #expect(abs(Int(last[0]) - 235) <= 2 && abs(Int(last[1]) - 128) <= 2, "a white picture in YUY2")
        }
    }

    @Test(
        "devices of Flourish are not listed, and the one that is written is not read",
        .enabled(if: PipeWireRig.isInstalled, "\(PipeWireRig.advice)"))
    func ownDevicesAreNotRead() async throws {
        try await Workbench.with { bench in
            let library = try #require(await bench.preloadedLibrary("loopback"))
            let result = try await PipeWireRig.run(
                bench,
                """
                mkfifo readers; touch video10
                device() {
                    gst-launch-1.0 -q videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=360,framerate=30/1 \\
                        ! pipewiresink mode=provide stream-properties="props,media.class=Video/Source,node.name=$1,node.description=$2,object.path=(string)\\"v4l2:$3\\"" \\
                        > $1.log 2>&1 & children+=($!); node $1 > /dev/null
                }
                device first Loop $PWD/video10 || exit 3
                device second Flourish-2 /dev/video11 || exit 4
                device third Webcam /dev/video0 || exit 5
                flourish='\(Program.flourish.executable.path)'
                "$flourish" camera --list | grep -v '^ '
                "$flourish" camera --list --v4l2 $PWD/video10 | grep -v '^ '
                export LD_PRELOAD='\(library)' LOOPBACK_DEVICE=$PWD/video10 LOOPBACK_PICTURES=$PWD/out.raw LOOPBACK_READERS=$PWD/readers
                for camera in Loop $PWD/video10; do
                    timeout 20 "$flourish" camera --v4l2 $PWD/video10 --camera $camera --video-size 640x360; echo $?
                done
                """)
            #expect(
                result.outputLines == ["Loop (first)", "Webcam (third)", "Webcam (third)", "64", "64"],
                "\(result.standardError)")
            #expect(result.standardError.contains("to which --v4l2 writes; name another camera"))
        }
    }

    @Test(
        "a path that is no such device is refused with one line", arguments: ["/dev/null", "plain", "pipe", "missing"])
    func otherPathsAreRefused(_ path: String) async throws {
        try await Workbench.with { bench in
            try bench.write("precious", as: "plain")
            try makeNamedPipe(at: bench.file("pipe"))
            let result = try await bench.flourish(["camera", "--v4l2", path])
            #expect(result.exitCode == 73)
            #expect(result.errorLines.count == 1 && result.standardError.contains("\(path): "))
            #expect(result.standardError.contains(path == "missing" ? "sudo modprobe v4l2loopback" : "no video device"))
            #expect(try bench.bytes("plain") == Data("precious".utf8))
        }
    }
}
