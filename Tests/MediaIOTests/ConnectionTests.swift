import Foundation
import TestSupport
import Testing

@testable import MediaIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Fragmented MP4 from a connection that cannot seek.
@Suite("Connections") struct ConnectionTests {
    /// Serves bytes to the first client, and closes the connection.
    private func serve(_ bytes: Data) throws -> Int {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        try #require(status)
        Thread.detachNewThread {
            let connection = accept(listener, nil, nil)
            try? FileHandle(fileDescriptor: connection, closeOnDealloc: false).write(contentsOf: bytes)
            close(connection)
            close(listener)
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// The times of all packets, and the number of FFmpeg's contexts that returned them.
    private func read(_ path: String) throws -> (times: [[Double]], contexts: Int) {
        let demuxer = try Demuxer(path: path)
        var times = demuxer.streams.map { _ in [Double]() }
        var contexts = 1
        var context = ObjectIdentifier(demuxer.input)
        while let packet = try demuxer.readPacket() {
            times[packet.streamIndex].append(packet.presentationTime?.seconds ?? -1)
            let now = ObjectIdentifier(demuxer.input)
            if now != context { (contexts, context) = (contexts + 1, now) }
        }
        #expect(demuxer.endedEarly == nil)
        return (times, contexts)
    }

    @Test(arguments: ["+empty_moov+frag_every_frame", "+faststart"])
    func onlyFragmentsAreCut(_ flags: String) async throws {
        let folder = try TemporaryFolder.create()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "in.mp4")
        try await FFmpegTool.ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=16x16:r=100:d=60", "-c:v", "mpeg4", "-g", "50", "-movflags", flags,
            file.path,
        ])
        // A stream over TCP begins at 0, whatever its clock.
        let expected = try read(file.path)
        let port = try serve(Data(contentsOf: file))
        let came = try read("tcp://127.0.0.1:\(port)")
        #expect(expected.contexts == 1)
        #expect(flags == "+faststart" ? came.contexts == 1 : came.contexts > 1)
        #expect(came.times.map(\.count) == expected.times.map(\.count))
        for (one, other) in zip(came.times[0], expected.times[0]) { #expect(abs(one - other) < 1e-6) }
    }
}
