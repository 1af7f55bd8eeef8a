import Foundation
import Testing
import TestSupport

@Suite("The camera for other programs", .enabled(if: PipeWireRig.isInstalled, "\(PipeWireRig.advice)"))
struct CameraTests {
    /// The mean of a file's first picture's luma, and the number of pictures in the file.
    private func luma(_ bench: Workbench, _ name: String, width: Int, height: Int, bytesPerPicture: Int) throws -> (
        mean: Double, count: Int
    ) {
        let bytes = try bench.bytes(name)
        let last = bytes.suffix(bytesPerPicture).prefix(width * height)
        return (Double(last.reduce(0) { $0 + Int($1) }) / Double(width * height), bytes.count / bytesPerPicture)
    }

    @Test("its pictures are those of the real camera, in each format", arguments: ["I420", "NV12", "YUY2", "BGRx"])
    func showsTheCamera(_ format: String) async throws {
        try await Workbench.with { bench in
            let result = try await PipeWireRig.run(
                bench,
                """
                fake webcam I420 640x360 0xffffffff; node webcam || exit 3
                camera --video-size 640x360 --no-gestures; await flourish.log "is ready" || exit 4
                read_camera 30 \(format) out.raw || exit 5
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let size = ["I420": 345_600, "NV12": 345_600, "YUY2": 460_800, "BGRx": 921_600][format]!
            #expect(try bench.bytes("out.raw").count == 30 * size)
            // The first bytes of a white picture: luma 235, or red, green and blue of 255.
            let last = try bench.bytes("out.raw").suffix(size)
            let white = format == "BGRx" ? 255 : 235
            #expect(abs(Int(last.first!) - white) <= 2, "\(last.first!)")
        }
    }

    /// The real camera is another camera of ours: GStreamer 0.3.65's stops after its first reader.
    @Test func theRealCameraIsOpenOnlyWhileAProgramReads() async throws {
        try await Workbench.with { bench in
            let result = try await PipeWireRig.run(
                bench,
                """
                '\(Program.flourish.executable.path)' camera --name webcam --camera none --no-gestures --video-size 640x360 2> webcam.log &
                children+=($!); node webcam > /dev/null || exit 3
                camera --video-size 640x360 --no-gestures --camera webcam; await flourish.log "is ready" || exit 4
                links() { pw-dump | python3 -c 'import json, sys; print(sum(i["type"].endswith("Link") for i in json.load(sys.stdin)))'; }
                sleep 0.5; links
                for turn in 1 2 3; do
                    read_camera 15 I420 out.raw || exit 5
                    sleep 1; links
                done
                grep -c "reading the camera webcam" flourish.log
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.outputLines == ["0", "0", "0", "0", "3"])
        }
    }

    /// The film repeats the gesture: a busy machine may miss the first one.
    @Test func aReactionIsDrawnAndReported() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left", hold: 4, seconds: 6), as: "call.mkv")
            try await bench.ffmpeg([
                "-stream_loop", "4", "-i", "call.mkv", "-vf", "scale=640:360,fps=30", "-pix_fmt", "yuv420p", "-f",
                "rawvideo", "call.yuv",
            ])
            let result = try await PipeWireRig.run(
                bench,
                """
                film webcam call.yuv 640x360; node webcam || exit 3
                camera --video-size 640x360 --hold 0.5 --events events.jsonl; await flourish.log "is ready" || exit 4
                read_camera 300 I420 out.raw || exit 5
                kill -INT $camera_id; wait $camera_id
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            #expect(events.gestures.first == "thumbsUp")
            #expect(events.effects.first == "thumbsUp")
        }
    }

    /// The microphone plays a voice. A thumb that is held for four seconds would fire.
    @Test func speechInTheMicrophonePreventsGestures() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left", hold: 4, seconds: 6), as: "call.mkv")
            try await bench.ffmpeg([
                "-stream_loop", "2", "-i", "call.mkv", "-vf", "scale=640:360,fps=30", "-pix_fmt", "yuv420p", "-f",
                "rawvideo", "call.yuv",
            ])
            try await bench.ffmpeg(["-f", "lavfi", "-i", SpeechTests.voice(seconds: 60, rate: 48_000), "voice.wav"])
            let result = try await PipeWireRig.run(
                bench,
                """
                film webcam call.yuv 640x360; node webcam || exit 3
                pw-loopback -m '[ MONO ]' --capture-props='media.class=Audio/Sink node.name=voice' \
                    --playback-props='media.class=Audio/Source node.name=mic' > loop.log 2>&1 & children+=($!)
                node mic && node voice || exit 4
                pw-play --target voice voice.wav > play.log 2>&1 & children+=($!)
                camera --video-size 640x360 --hold 0.5 --while-speaking ignore --microphone mic --events events.jsonl
                await flourish.log "is ready" || exit 5
                listeners() { pw-dump | grep -c '"node.name": "flourish-microphone"'; }
                listeners
                read_camera 300 I420 out.raw & reader=$!
                await flourish.log "reading the camera" || exit 6
                sleep 1; listeners
                wait $reader || exit 7
                sleep 1; listeners
                kill -INT $camera_id; wait $camera_id
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            // `node` prints the nodes' numbers.
            #expect(result.outputLines.suffix(3) == ["0", "1", "0"])
            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            #expect(events.gestures == [])
            #expect(!String(decoding: try bench.bytes("flourish.log"), as: UTF8.self).contains("the microphone fails"))
        }
    }

    @Test func readersSeeACardWithoutACameraAndTheCameraOnceItIsPluggedIn() async throws {
        try await Workbench.with { bench in
            let result = try await PipeWireRig.run(
                bench,
                """
                camera --video-size 640x360 --no-gestures; await flourish.log "is ready" || exit 4
                read_camera 5 I420 card.raw || exit 5
                fake webcam I420 640x360 0xffffffff; plugged=$!; node webcam || exit 3
                read_camera 20 I420 picture.raw || exit 6
                kill $plugged; wait $plugged 2>/dev/null
                read_camera 5 I420 again.raw || exit 7
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let log = String(decoding: try bench.bytes("flourish.log"), as: UTF8.self)
            #expect(log.contains("no camera is connected"))
            #expect(log.contains("reading the camera webcam"))
            for (name, isWhite) in [("card.raw", false), ("picture.raw", true), ("again.raw", false)] {
                let picture = try luma(bench, name, width: 640, height: 360, bytesPerPicture: 345_600)
                #expect((picture.mean > 200) == isWhite, "\(name): \(picture)")
                // The ground of the card is dark; its text is not.
                #expect(isWhite || picture.mean > 25, "\(name): \(picture)")
            }
        }
    }

    @Test func itReturnsAfterARestartOfPipeWire() async throws {
        try await Workbench.with { bench in
            let result = try await PipeWireRig.run(
                bench,
                """
                fake webcam I420 640x360 0xffffffff; node webcam || exit 3
                camera --video-size 640x360 --no-gestures; await flourish.log "is ready" || exit 4
                read_camera 5 I420 first.raw || exit 5
                stop_pipewire
                await flourish.log "ended the connection" || exit 6
                start_pipewire
                fake webcam I420 640x360 0xffffffff; node webcam || exit 7
                node Flourish || exit 8
                read_camera 5 I420 second.raw || exit 9
                kill -INT $camera_id; wait $camera_id; echo $?
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.outputLines.last == "0")
        }
    }

    @Test func aCameraIsAnInputOfDetect() async throws {
        try await Workbench.with { bench in
            try await bench.draw(PuppetClip(pose: "thumbUp", hands: "left", hold: 4, seconds: 6), as: "call.mkv")
            try await bench.ffmpeg([
                "-stream_loop", "4", "-i", "call.mkv", "-vf", "scale=640:360,fps=30", "-pix_fmt", "yuv420p", "-f",
                "rawvideo", "call.yuv",
            ])
            let result = try await PipeWireRig.run(
                bench,
                """
                film webcam call.yuv 640x360; node webcam || exit 3
                '\(Program.flourish.executable.path)' detect pipewire:webcam --live --hold 0.5 --video-size 640x360 \
                    --events events.jsonl 2> flourish.log & children+=($!)
                await flourish.log "reading the camera webcam" || exit 4
                await events.jsonl '"event":"gesture"' || exit 5
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
        }
    }

    @Test func aCameraIsAnOutputOfFilter() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg([
                "-f", "lavfi", "-i", "color=white:size=640x360:rate=30:duration=12", "-c:v", "ffv1", "white.mkv",
            ])
            let result = try await PipeWireRig.run(
                bench,
                """
                '\(Program.flourish.executable.path)' filter white.mkv pipewire: --no-gestures > flourish.out 2> flourish.log &
                filter_id=$!; children+=($!); await flourish.log "the camera Flourish is ready" || exit 3
                read_camera 30 NV12 out.raw || exit 4
                wait $filter_id; echo $?
                """)
            #expect(result.outputLines == ["0"], "\(result.standardError)")
            let picture = try luma(bench, "out.raw", width: 640, height: 360, bytesPerPicture: 345_600)
            #expect(picture.mean > 200 && picture.count == 30)
        }
    }

    @Test func anUnknownCameraIsWaitedFor() async throws {
        try await Workbench.with { bench in
            let result = try await PipeWireRig.run(
                bench,
                """
                timeout -s INT 6 '\(Program.flourish.executable.path)' detect pipewire:nosuch --no-gestures --live 2> flourish.log
                grep -c "the camera nosuch is not connected" flourish.log
                '\(Program.flourish.executable.path)' detect pipewire: --video-size 7x7; echo $?
                """)
            #expect(result.outputLines == ["1", "64"], "\(result.standardError)")
        }
    }

    @Test func openShowsThePanelOfTheCameraThatRuns() async throws {
        try await Workbench.with { bench in
            let result = try await PipeWireRig.run(
                bench,
                """
                printf '#!/bin/sh\\necho "$1" > opened\\n' > browser; chmod +x browser
                camera --panel --no-gestures --video-size 640x360; await flourish.log "is ready" || exit 3
                BROWSER=$PWD/browser '\(Program.flourish.executable.path)' camera --open || exit 4
                for _ in $(seq 50); do [ -s opened ] && break; sleep 0.1; done
                [ "panel: $(cat opened)" = "$(grep -o 'panel: .*' flourish.log)" ] || exit 5
                stat -c %a runtime/flourish-camera.url
                kill -INT $camera_id; wait $camera_id; ls runtime/flourish-camera.url 2> /dev/null
                """)
            #expect(result.outputLines == ["600"], "\(result.standardError)")
        }
    }

    @Test func effectsAreCalmIfTheDesktopReducesMotion() async throws {
        try await Workbench.with { bench in
            let result = try await PipeWireRig.run(
                bench,
                """
                mkdir bin; printf '#!/bin/sh\\necho false\\n' > bin/gsettings; chmod +x bin/gsettings; export PATH=$PWD/bin:$PATH
                for options in "" --no-calm --calm; do
                    camera --no-gestures --video-size 640x360 $options; await flourish.log "is ready" || exit 3
                    grep -c "the desktop reduces motion" flourish.log
                    kill -INT $camera_id; wait $camera_id
                done
                """)
            #expect(result.outputLines == ["1", "0", "0"], "\(result.standardError)")
        }
    }

    @Test("Two cameras of Flourish do not read each other, and one of them reads the other on request")
    func twoCameras() async throws {
        try await Workbench.with { bench in
            let result = try await PipeWireRig.run(
                bench,
                """
                flourish='\(Program.flourish.executable.path)'
                "$flourish" camera --name Second --no-gestures --video-size 640x360 2> second.log & children+=($!)
                node Second > /dev/null || exit 3
                camera --video-size 640x360 --no-gestures --control c.sock; await flourish.log "is ready" || exit 4
                read_camera 30 I420 card.raw || exit 5
                await flourish.log "no camera is connected; to read Second, choose it" || exit 6
                "$flourish" set camera Second --control c.sock || exit 7
                read_camera 30 I420 second.raw || exit 8
                await flourish.log "reading the camera Second" || exit 9
                await second.log "to read Flourish, choose it" || exit 10
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
        }
    }

    @Test func anotherCameraIsShownWhenItIsChosen() async throws {
        try await Workbench.with { bench in
            let result = try await PipeWireRig.run(
                bench,
                """
                fake dark I420 640x360 0xff000000; node dark > /dev/null || exit 3
                fake bright I420 640x360 0xffffffff; node bright > /dev/null || exit 3
                flourish='\(Program.flourish.executable.path)'
                camera --video-size 640x360 --no-gestures --camera dark --control c.sock; await flourish.log "is ready" || exit 4
                read_camera 20 I420 before.raw || exit 5
                "$flourish" set cameras --control c.sock | tr , '\\n' | grep -c title
                "$flourish" set camera bright --control c.sock || exit 6
                read_camera 20 I420 after.raw || exit 7
                "$flourish" set camera --control c.sock
                "$flourish" set camera dim --control c.sock || echo refused
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.outputLines == ["2", "bright", "refused"], "\(result.standardError)")
            for (file, luma) in [("before.raw", 16), ("after.raw", 235)] {
                #expect(abs(Int(try bench.bytes(file).suffix(345_600).first!) - luma) <= 2)
            }
        }
    }

    /// Chromium reads the cameras of PipeWire by the desktop's portal, which asks the user once: the answer is stored beforehand.
    @Test(
        .enabled(
            if: PipeWireRig.hasPortal && Chromium.program != nil,
            "Chromium or the desktop portal is not installed (apt-get install chromium xdg-desktop-portal libglib2.0-bin)"
        ))
    func chromiumShowsTheCamera() async throws {
        try await Workbench.with { bench in
            try bench.write(
                """
                <video></video><script>
                // On a busy machine, Chromium's first list of cameras may lack ours.
                const open = async (attempts) => {
                  try {
                    return await navigator.mediaDevices.getUserMedia({ video: true });
                  } catch (error) {
                    // On a busy machine, the portal or the first picture may be too late for Chromium.
                    if (!["NotFoundError", "NotReadableError"].includes(error.name) || attempts === 0) throw error;
                  }
                  await new Promise((resolve) => setTimeout(resolve, 500));
                  return open(attempts - 1);
                };
                (async () => {
                  const stream = await open(100);
                  const cameras = (await navigator.mediaDevices.enumerateDevices()).filter((d) => d.kind === "videoinput");
                  const video = document.querySelector("video");
                  video.srcObject = stream;
                  await video.play();
                  while (video.currentTime < 1) await new Promise((resolve) => setTimeout(resolve, 50));
                  const context = document.createElement("canvas").getContext("2d");
                  context.drawImage(video, 0, 0, 1, 1);
                  const white = context.getImageData(0, 0, 1, 1).data[0] > 250;
                  return `${cameras.map((c) => c.label)} ${video.videoWidth}x${video.videoHeight} ${white}`;
                })().then((text) => console.log("seen:" + text), (error) => console.log("seen:" + error));
                </script>
                """, as: "page.html")
            let result = try await PipeWireRig.run(
                bench,
                """
                mkdir portals; printf '[portal]\\nDBusName=org.freedesktop.impl.portal.desktop.test\\nInterfaces=%s;\\nUseIn=test\\n' \
                    org.freedesktop.impl.portal.Access > portals/test.portal
                store=org.freedesktop.impl.portal.PermissionStore
                gdbus call --session --dest $store --object-path /org/freedesktop/impl/portal/PermissionStore \
                    --method $store.SetPermission devices true camera '' "['yes']" > /dev/null || exit 3
                fake webcam I420 640x360 0xffffffff; node webcam > /dev/null || exit 4
                camera --video-size 640x360 --no-gestures; await flourish.log "is ready" || exit 5
                '\(Chromium.program?.executable.path ?? "")' --headless=new --no-sandbox --no-first-run --disable-dev-shm-usage \
                    --user-data-dir=$PWD/profile --enable-features=WebRtcPipeWireCamera --use-fake-ui-for-media-stream \
                    --enable-logging=stderr "file://$PWD/page.html" > chromium.log 2>&1 & children+=($!)
                for _ in $(seq 900); do grep -q '"seen:' chromium.log && break; sleep 0.1; done
                grep -o '"seen:[^"]*' chromium.log || tail chromium.log
                """, timeout: .seconds(180))
            #expect(result.outputLines == ["\"seen:Flourish 640x360 true"], "\(result.standardError)")
        }
    }

    /// The stalled reader keeps every buffer that it was passed.
    @Test func aReaderThatStallsDoesNotStallTheOthers() async throws {
        try await Workbench.with { bench in
            let result = try await PipeWireRig.run(
                bench,
                """
                fake webcam I420 640x360 0xffffffff; node webcam || exit 3
                camera --video-size 640x360 --no-gestures; await flourish.log "is ready" || exit 4
                gst-launch-1.0 -q pipewiresrc path=$(node Flourish) ! video/x-raw,format=I420 \\
                    ! identity sleep-time=60000000 ! fakesink > stalled.log 2>&1 & children+=($!)
                await flourish.log "reading the camera" || exit 5
                sleep 2; read_camera 90 I420 out.raw || exit 6
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
        }
    }

    @Test func readersThatComeAndGoAreAllServed() async throws {
        try await Workbench.with { bench in
            let result = try await PipeWireRig.run(
                bench,
                """
                fake webcam I420 640x360 0xffffffff; node webcam || exit 3
                camera --video-size 640x360 --no-gestures --camera none; await flourish.log "is ready" || exit 4
                count() { ls /proc/$camera_id/$1 | wc -l; }
                read_camera 3 I420 out.raw || exit 5
                sleep 1; descriptors=$(count fd) threads=$(count task)
                for turn in $(seq 12); do read_camera 3 NV12 out.raw || exit 6; done
                sleep 1; [ $(count fd) -le $descriptors ] && [ $(count task) -le $threads ]; echo $?
                """)
            #expect(result.outputLines.last == "0", "\(result.standardError)")
        }
    }

    @Test func camerasAreListedWithTheirModes() async throws {
        try await Workbench.with { bench in
            let result = try await PipeWireRig.run(
                bench,
                """
                fake webcam YUY2 640x360 0xffffffff; node webcam > /dev/null || exit 3
                camera --video-size 640x360 --no-gestures; node Flourish > /dev/null || exit 4
                '\(Program.flourish.executable.path)' camera --list
                """)
            #expect(result.outputLines == ["webcam (webcam)", "  640×360 at 30 yuy2"], "\(result.standardError)")
        }
    }

    @Test func aMachineWithoutPipeWireGetsOneLine() async throws {
        let result = try await Program.flourish.run(
            ["camera", "--list"],
            environment: ["XDG_RUNTIME_DIR": "/nonexistent", "PIPEWIRE_RUNTIME_DIR": "/nonexistent"])
        #expect(result.exitCode == 69)
        #expect(result.errorLines.count == 1)
        #expect(result.standardError.contains("PipeWire cannot be reached"))
    }
}
