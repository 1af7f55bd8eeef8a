import Foundation
import TestSupport

/// A private, headless PipeWire session for one test, in which shell lines make fake cameras and read ours.
///
/// The lines may use these functions:
///
/// - `fake NAME FORMAT SIZE COLOUR`: a camera of one colour (`0xAARRGGBB`), 30 pictures a second; its process is `$!`.
/// - `film NAME FILE SIZE`: a camera that shows a file of raw I420 pictures once.
/// - `node NAME`: prints the number of a node when it exists; fails after ten seconds.
/// - `read_camera COUNT FORMAT FILE`: reads pictures of our camera into a file, in GStreamer's name of the format.
/// - `await FILE TEXT`: waits until a file contains a text; fails after twenty seconds.
/// - `start_pipewire`, `stop_pipewire`.
///
/// `flourish camera` writes `flourish.log`; all processes end with the session.
enum PipeWireRig {
    private static let tools = ["pipewire", "wireplumber", "dbus-run-session", "gst-launch-1.0", "pw-dump", "python3"]

    /// True if the tools and GStreamer's plugin are installed.
    static let isInstalled =
        tools.allSatisfy { (try? Program.onPath($0)) != nil }
        && ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"].contains {
            FileManager.default.fileExists(atPath: $0 + "/gstreamer-1.0/libgstpipewire.so")
        }

    /// True if the desktop portal is installed, by which browsers reach cameras.
    static let hasPortal =
        (try? Program.onPath("gdbus")) != nil
        && ["/usr/libexec", "/usr/lib"].contains {
            FileManager.default.fileExists(atPath: $0 + "/xdg-desktop-portal")
        }

    static let advice =
        "PipeWire is not installed (apt-get install pipewire wireplumber gstreamer1.0-pipewire gstreamer1.0-tools gstreamer1.0-plugins-base dbus)"

    /// Runs shell lines in a session of the workbench's folder.
    static func run(_ bench: Workbench, _ lines: String, timeout: Duration = .seconds(90)) async throws -> ProgramResult
    {
        let script = """
            set -u
            export XDG_RUNTIME_DIR=$PWD/runtime PIPEWIRE_RUNTIME_DIR=$PWD/runtime HOME=$PWD GST_REGISTRY=$PWD/registry.bin
            export FLOURISH_HOME=${FLOURISH_HOME:-\(NSHomeDirectory())/.local/share/flourish}
            mkdir -p -m 700 runtime
            children=()
            cleanup() { kill "${children[@]}" 2>/dev/null; wait 2>/dev/null; }
            trap cleanup EXIT
            start_pipewire() {
                pipewire > pipewire.log 2>&1 & pipewire_id=$!; children+=($!)
                for _ in $(seq 100); do [ -S runtime/pipewire-0 ] && break; sleep 0.05; done
                wireplumber > wireplumber.log 2>&1 & wireplumber_id=$!; children+=($!)
            }
            stop_pipewire() { kill $wireplumber_id $pipewire_id; wait $wireplumber_id $pipewire_id 2>/dev/null; }
            node() {
                for _ in $(seq 100); do
                    pw-dump 2>/dev/null | python3 -c '
            import json, sys
            for item in json.load(sys.stdin):
                info = item.get("info") or {}
                if (info.get("props") or {}).get("node.name") == sys.argv[1] and item["type"].endswith("Node"):
                    print(item["id"]); sys.exit(0)
            sys.exit(1)' "$1" 2>/dev/null && return 0
                    sleep 0.1
                done
                return 1
            }
            fake() {
                gst-launch-1.0 -q videotestsrc is-live=true pattern=solid-color foreground-color=$4 \\
                    ! video/x-raw,format=$2,width=${3%x*},height=${3#*x},framerate=30/1 \\
                    ! pipewiresink mode=provide stream-properties="props,media.class=Video/Source,node.name=$1,node.description=$1" \\
                    > $1.log 2>&1 & children+=($!)
            }
            film() {
                gst-launch-1.0 -q filesrc location=$2 \\
                    ! rawvideoparse format=i420 width=${3%x*} height=${3#*x} framerate=30/1 ! identity sync=true \\
                    ! pipewiresink mode=provide stream-properties="props,media.class=Video/Source,node.name=$1,node.description=$1" \\
                    > $1.log 2>&1 & children+=($!)
            }
            read_camera() {
                timeout 30 gst-launch-1.0 -q pipewiresrc path=$(node Flourish) num-buffers=$1 ! video/x-raw,format=$2 \\
                    ! filesink location=$3 > reader.log 2>&1
            }
            await() {
                for _ in $(seq 200); do grep -q "$2" "$1" 2>/dev/null && return 0; sleep 0.1; done
                echo "$1 never said: $2" >&2; cat "$1" >&2; return 1
            }
            camera() { '\(Program.flourish.executable.path)' camera "$@" > flourish.out 2> flourish.log & camera_id=$!; children+=($!); }
            start_pipewire

            """
        try bench.write(script + lines, as: "session.sh")
        let program = try Program.onPath("dbus-run-session")
        // Services that D-Bus starts have its environment.
        let folder = bench.folder.path
        return try await program.run(
            ["--", "bash", "session.sh"],
            environment: [
                "HOME": folder, "XDG_DATA_HOME": nil, "XDG_RUNTIME_DIR": folder + "/runtime",
                "XDG_CURRENT_DESKTOP": "test",
                "XDG_DESKTOP_PORTAL_DIR": folder + "/portals",
            ], in: bench.folder, timeout: timeout)
    }
}
