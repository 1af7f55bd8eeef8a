import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Everything here stays on the loopback interface and ends by itself.
@Suite("The network", .serialized)
struct NetworkTests {
    private static let quick = "--no-gestures --preset ultrafast"

    /// A port that is free at the moment.
    private static func freePort(_ type: Int32 = Int32(SOCK_STREAM.rawValue)) -> Int {
        let socket = Glibc.socket(AF_INET, type, 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = unsafe bind(socket, address, length)
                _ = unsafe getsockname(socket, address, &length)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// FFmpeg cancels its thread for UDP (`pthread_cancel`) in a call that ThreadSanitizer ignores; a thread that
    /// ends there ends the process ("finished with ignores enabled").
    @Test(.enabled(if: Sanitizer.current != .thread, "ThreadSanitizer takes no thread that FFmpeg cancels"))
    func transportStreamsComeByUDP() async throws {
        try await Workbench.with { bench in
            // A receiver that joins late needs a key frame soon.
            try await bench.makeClip("in.ts", seconds: 5, Coding.h264 + ["-g", "10"])
            let port = Self.freePort(Int32(SOCK_DGRAM.rawValue))
            // UDP signals no end: a stream that is silent for four seconds has ended.
            let result = try await bench.shell(
                """
                flourish 'udp://127.0.0.1:\(port)' out.mkv --input-format mpegts --input-timeout 4 \(Self.quick) & job=$!
                sleep 1
                ffmpeg -re -i in.ts -c copy -output_ts_offset 5000 -f mpegts 'udp://127.0.0.1:\(port)?pkt_size=1316'
                wait $job
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.standardError.contains("no data was received for 4 s"))
            let times = try await bench.report("out.mkv").frameTimes
            #expect(times.count > 40)
            // The sender's clock may start anywhere.
            #expect((0..<1).contains(try #require(times.first)))
        }
    }

    /// Shell lines that serve the folder's files by HTTP, whole and from their beginning only; the caller ends
    /// `$server`.
    private static func fileServer(_ port: Int) -> String {
        """
        timeout 60 python3 -m http.server \(port) --bind 127.0.0.1 > /dev/null 2>&1 & server=$!
        for i in $(seq 100); do (echo > /dev/tcp/127.0.0.1/\(port)) 2> /dev/null && break; sleep 0.1; done
        """
    }

    @Test func aFileByHTTPEndsTheRun() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", Coding.h264 + Coding.aac)
            let port = Self.freePort()
            let result = try await bench.shell(
                """
                \(Self.fileServer(port))
                flourish http://127.0.0.1:\(port)/in.mp4 out.mp4 --input-reconnect 3 \(Self.quick); code=$?
                kill $server; exit $code
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.complaints == [])
            #expect(try await bench.report("out.mp4").frameTimes.count == 15)
        }
    }

    /// More fragments than one demuxer reads, from a server that cannot seek: the result is that of a pipe and of a
    /// file.
    @Test func endlessFragmentsComeByHTTP() async throws {
        try await Workbench.with { bench in
            try await bench.ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=160", "-f", "lavfi", "-i", "sine=d=160"] + Coding.h264
                    + Coding.aac + [
                        "-frag_duration", "30000", "-movflags", "+empty_moov+default_base_moof", "in.mp4",
                    ])
            let port = Self.freePort()
            let result = try await bench.shell(
                """
                \(Self.fileServer(port))
                flourish http://127.0.0.1:\(port)/in.mp4 net.mkv \(Self.quick); code=$?
                kill $server
                flourish in.mp4 file.mkv \(Self.quick) --smart-render never; exit $code
                """)
            #expect(result.exitCode == 0 && result.complaints == [], "\(result.standardError)")
            let (net, file) = (try await bench.report("net.mkv"), try await bench.report("file.mkv"))
            #expect(net.frameTimes.count == 4000)
            #expect(net.frameTimes == file.frameTimes)
            #expect(net.times(of: "audio") == file.times(of: "audio"))
        }
    }

    @Test(.enabled(if: NetworkTests.hasSRT, "needs FFmpeg with SRT"))
    func aStreamIsRelayedFromSRTToSRT() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.ts", seconds: 3)
            let input = Self.freePort(Int32(SOCK_DGRAM.rawValue))
            let output = Self.freePort(Int32(SOCK_DGRAM.rawValue))
            let result = try await bench.shell(
                """
                ffmpeg -i 'srt://127.0.0.1:\(output)?mode=listener' -c copy got.ts & receiver=$!
                flourish 'srt://127.0.0.1:\(input)?mode=listener' 'srt://127.0.0.1:\(output)' \
                    --live --input-timeout 20 \(Self.quick) & job=$!
                sleep 1
                ffmpeg -re -i in.ts -c copy -f mpegts 'srt://127.0.0.1:\(input)'
                wait $job; wait $receiver
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(try await bench.report("got.ts").frameTimes.count > 40)
        }
    }

    @Test func aStreamIsRelayedFromRTMPToRTMP() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.flv", seconds: 3, Coding.h264 + Coding.aac)
            let (input, output) = (Self.freePort(), Self.freePort())
            let result = try await bench.shell(
                """
                ffmpeg -listen 1 -i rtmp://127.0.0.1:\(output)/live/out -c copy got.flv & receiver=$!
                ffmpeg -re -i in.flv -c copy -f flv -listen 1 rtmp://127.0.0.1:\(input)/live/in & sender=$!
                sleep 1
                flourish rtmp://127.0.0.1:\(input)/live/in rtmp://127.0.0.1:\(output)/live/out --live \(Self.quick); code=$?
                wait $receiver; wait $sender; exit $code
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(try await bench.report("got.flv").frameTimes.count > 40)
        }
    }

    /// The server takes the offer, and refuses it.
    @Test(.enabled(if: NetworkTests.has("-muxers", "whip"), "needs FFmpeg 8 with WHIP"))
    func anOfferOfWHIPHasTheTokenAndBothStreams() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip(
                "in.mkv", seconds: 1, Coding.h264 + ["-c:a", "libopus", "-ac", "2", "-ar", "48000"])
            try bench.write(
                """
                import http.server, sys
                class Handler(http.server.BaseHTTPRequestHandler):
                    def do_POST(self):
                        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                        open("offer", "w").write(f"{self.path} {self.headers['Authorization']}\\n{body}")
                        self.send_error(403)
                http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).handle_request()
                """, as: "server.py")
            let port = Self.freePort()
            let result = try await bench.shell(
                """
                timeout 60 python3 server.py \(port) 2> /dev/null & server=$!
                for i in $(seq 100); do grep -qi ":$(printf %04x \(port)) " /proc/net/tcp && break; sleep 0.1; done
                FLOURISH_WHIP_TOKEN=secret flourish in.mkv whip://127.0.0.1:\(port)/room --live \(Self.quick); code=$?
                wait $server; exit $code
                """)
            #expect(result.exitCode == 73, "\(result.standardError)")
            #expect(result.complaints.count == 1)
            #expect(result.standardError.contains("whip://127.0.0.1:\(port)/room: connecting failed"))
            let offer = String(decoding: try bench.bytes("offer"), as: UTF8.self)
            #expect(offer.hasPrefix("/room Bearer secret\n"))
            #expect(offer.contains("m=audio") && offer.contains("m=video") && offer.contains("H264/90000"))
        }
    }

    @Test(.enabled(if: !NetworkTests.has("-muxers", "whip"), "needs FFmpeg without WHIP"))
    func olderReleasesRefuseWHIP() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", seconds: 1)
            let result = try await bench.flourish(["filter", "in.mp4", "whips://127.0.0.1:1/room", "--no-gestures"])
            #expect(result.exitCode == 69)
            #expect(result.errorLines.count == 1)
            #expect(result.standardError.contains("WHIP needs FFmpeg 8 or newer"))
        }
    }

    @Test func noInputComesByWHIP() async throws {
        try await Workbench.with { bench in
            let result = try await bench.flourish(["filter", "whip://127.0.0.1:1/room", "out.mp4", "--no-gestures"])
            #expect(result.exitCode == 66)
            #expect(result.errorLines.count == 1)
            #expect(result.standardError.contains("the protocol whip is not supported for input"))
        }
    }

    /// No reference in a playlist can reach beyond the address of the command line.
    @Test(arguments: ["file", "http"])
    func playlistsCannotReachOtherAddresses(_ kind: String) async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("secret.ts", sound: false)
            let port = Self.freePort()
            let isLocal = kind == "http"
            let target = isLocal ? "http://127.0.0.1:\(port)/secret.ts" : "file://\(bench.file("secret.ts").path)"
            try bench.write(
                "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(target)\n#EXT-X-ENDLIST\n", as: "list.m3u8")
            let address = isLocal ? "list.m3u8" : "http://127.0.0.1:\(port)/list.m3u8"
            let result = try await bench.shell(
                """
                timeout 60 python3 -m http.server \(port) --bind 127.0.0.1 > /dev/null 2> requests & server=$!
                for i in $(seq 100); do (echo > /dev/tcp/127.0.0.1/\(port)) 2> /dev/null && break; sleep 0.1; done
                flourish \(address) out.mp4 --input-timeout 5 \(Self.quick); code=$?
                kill $server; exit $code
                """)
            #expect(result.exitCode == 65, "\(result.standardError)")
            #expect(result.errorLines.count == 1)
            #expect(!bench.files.contains("out.mp4"))
            #expect(try !String(decoding: bench.bytes("requests"), as: UTF8.self).contains("secret"))
        }
    }

    @Test func scriptsThatNameOtherFilesAreRefused() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("secret.mp4", sound: false)
            try bench.write("ffconcat version 1.0\nfile secret.mp4\n", as: "innocent.mp4")
            let result = try await bench.flourish(["filter", "innocent.mp4", "out.mp4", "--no-gestures"])
            #expect(result.exitCode == 65)
            #expect(!bench.files.contains("out.mp4"))
            // From a pipe, not even a file beside it can be reached when the format is named.
            let named = try await bench.shell("flourish - out.mp4 --input-format concat \(Self.quick) < innocent.mp4")
            #expect(named.exitCode != 0)
            #expect(!bench.files.contains("out.mp4"))
        }
    }

    /// A shell line that retries a command until the address is listened to.
    private static func untilConnected(_ command: String) -> String {
        "for i in $(seq 100); do (\(command)) 2> /dev/null && break; sleep 0.2; done"
    }

    /// A shell line that waits until the first connection's end is among the events.
    ///
    /// A sender that connects before it may reach the first connection's listener, which closes without accepting it.
    private static let untilLost =
        "for i in $(seq 200); do grep -q inputLost events.jsonl 2> /dev/null && break; sleep 0.1; done"

    /// Two senders, one after the other, to an address at which the program itself listens.
    @Test func lostInputsAreReopenedWithContinuousTimes() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.ts", seconds: 2, sound: false)
            let port = Self.freePort()
            let send = Self.untilConnected("cat in.ts > /dev/tcp/127.0.0.1/\(port)")
            let result = try await bench.shell(
                """
                flourish 'tcp://127.0.0.1:\(port)?listen' out.mkv --input-format mpegts --input-reconnect 1 \
                    --input-timeout 5 --events events.jsonl \(Self.quick) & job=$!
                \(send); \(Self.untilLost); \(send)
                wait $job
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            #expect(events.warnings.starts(with: ["inputLost", "inputResumed", "inputLost"]))
            let times = try await bench.report("out.mkv").frameTimes
            #expect(times.count == 100)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func reconnectingWithOtherStreamsEndsTheRunWithoutLoss() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.ts", seconds: 2)
            try await bench.makeClip("other.ts", seconds: 2, sound: false)
            let port = Self.freePort()
            let send = { (file: String) in Self.untilConnected("cat \(file) > /dev/tcp/127.0.0.1/\(port)") }
            let result = try await bench.shell(
                """
                flourish 'tcp://127.0.0.1:\(port)?listen' out.mkv --input-format mpegts --input-reconnect 1 \
                    --input-timeout 5 --events events.jsonl \(Self.quick) & job=$!
                \(send("in.ts")); \(Self.untilLost); \(send("other.ts"))
                wait $job
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            #expect(result.standardError.contains("restored with different streams"))
            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            #expect(events.warnings == ["inputLost", "inputLost"])
            #expect(events.of("streamEnded").count == 1)
            #expect(try await bench.report("out.mkv").frameTimes.count == 50)
        }
    }

    /// Damage in the first connection's container is reported although another connection follows.
    @Test func damageBeforeAReconnectionIsReported() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mkv", seconds: 6, sound: false, Coding.h264 + ["-g", "25"])
            try bench.damage("in.mkv", as: "bad.mkv")
            let port = Self.freePort()
            let send = { (file: String) in Self.untilConnected("cat \(file) > /dev/tcp/127.0.0.1/\(port)") }
            let result = try await bench.shell(
                """
                flourish 'tcp://127.0.0.1:\(port)?listen' out.mkv --input-reconnect 1 --input-timeout 5 \
                    --events events.jsonl \(Self.quick) & job=$!
                \(send("bad.mkv")); \(Self.untilLost); \(send("in.mkv"))
                wait $job
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            let damage = events.of("warning").filter { $0["code"]?.string == "damagedInput" }
            #expect(damage.count == 1, "\(result.standardError)")
        }
    }

    @Test func stalledInputsAreReported() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.ts", seconds: 2)
            let result = try await bench.shell(
                """
                { head -c 60000 in.ts; sleep 2.5; tail -c +60001 in.ts; } \
                | flourish - out.mp4 --input-stall 1 --events events.jsonl \(Self.quick)
                """)
            #expect(result.exitCode == 0, "\(result.standardError)")
            let events = try EventLines(String(decoding: bench.bytes("events.jsonl"), as: UTF8.self))
            let stall = try #require(events.of("warning").first { $0["code"] == .text("inputStalled") })
            let start = try #require(events.of("streamStarted").first?["time"]?.number)
            #expect(try #require(stall["time"]?.number) > start, "the time is that of the video")
        }
    }

    @Test func unreachableOutputsAreReported() async throws {
        try await Workbench.with { bench in
            try await bench.makeClip("in.mp4", sound: false)
            let port = Self.freePort()
            let input = try await bench.flourish(["tcp://127.0.0.1:\(port)", "out.mp4", "--no-gestures"])
            #expect(input.exitCode == 66)
            #expect(input.errorLines.count == 1)
            let output = try await bench.flourish(["in.mp4", "tcp://127.0.0.1:\(port)", "--no-gestures"])
            #expect(output.exitCode == 73)
            #expect(output.standardError.contains("check the address and the receiver"))
        }
    }

    private static let hasSRT = has("-protocols", "srt")

    /// Returns whether a list of FFmpeg's, such as `-muxers`, has a word.
    private static func has(_ list: String, _ word: String) -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "ffmpeg -hide_banner \(list) 2>/dev/null | grep -qw \(word)"]
        try? process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
