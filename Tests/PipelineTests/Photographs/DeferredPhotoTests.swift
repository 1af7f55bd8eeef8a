import Foundation
import MediaIO
import Platform
import Reactions
import Testing
import TestSupport

@testable import Pipeline

@Suite("Deferred photographs") struct DeferredPhotoTests {
    private func options(_ folder: URL, _ delivery: PhotoOptions.DeferredDelivery) -> PhotoOptions {
        var options = PhotoOptions(folder: folder.path)
        options.deferredPhotoDelivery = delivery
        return options
    }

    /// Twenty frames, and a photograph of the last.
    private func capture(_ bench: PhotoBench) async throws -> Photo {
        for index in 0..<20 { try bench.offer(index, rate: 20) }
        let photo = try await bench.capture(.quality).get()
        // The client gets the event a moment before all others.
        #expect(try await bench.waits { bench.photographs.count == 1 })
        return photo
    }

    /// The files of a folder, and of its subfolders.
    private func files(_ folder: URL) -> [String] {
        let hidden = (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/.flourish/negatives")) ?? []
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return (all.filter { $0 != ".flourish" } + hidden).sorted()
    }

    /// Returns the quality marker of a file.
    private func isDegraded(_ path: String) throws -> Bool? {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return text.contains(#"{"degraded":true"#) ? true : text.contains(#"{"degraded":false"#) ? false : nil
    }

    @Test("A proxy comes at once, and the photograph takes its place at the end")
    func theEnd() async throws {
        try await withTemporaryFolder { folder in
            let bench = try PhotoBench(options(folder, .end))
            bench.develop()
            let proxy = try await capture(bench)
            let path = try #require(proxy.path)
            #expect(try proxy.isProxy && proxy.resolvedSettings.frames == 1 && isDegraded(path) == true)
            #expect(files(folder) == ["clip-0000.950-photo.png", "clip-0000.950-photo.png.negative"])
            // No other run may process photographs that this run finishes itself.
            let others = try #require(try DeferredPhotoStore(of: folder.path, making: false))
            #expect(!others.claim("clip-0000.950-photo.png"))
            bench.photos.close()
            bench.photos.developRest()
            #expect(bench.photographs == ["proxy 1", "finished 1"])
            #expect(files(folder) == ["clip-0000.950-photo.png"])
            #expect(try isDegraded(path) == false)
            let finished = bench.events.compactMap { if case .photoFinished(let detail) = $0 { detail } else { nil } }
            #expect(finished.first?.path == path && (finished.first?.frames ?? 0) > 5)
            #expect(finished.first?.photoQualityPrioritization == .quality)
        }
    }

    @Test("The photograph is finished while the capture is idle")
    func idleness() async throws {
        try await withTemporaryFolder { folder in
            let bench = try PhotoBench(options(folder, .idle))
            bench.develop()
            defer { bench.photos.close() }
            _ = try await capture(bench)
            for index in 20..<38 { try bench.offer(index, rate: 20) }
            #expect(bench.photographs == ["proxy 1"])
            for index in 38..<45 { try bench.offer(index, rate: 20) }
            #expect(try await bench.waits { bench.photographs == ["proxy 1", "finished 1"] })
            #expect(files(folder) == ["clip-0000.950-photo.png"])
        }
    }

    @Test("A deferred photograph equals an immediate one")
    func sameness() async throws {
        try await withTemporaryFolder { folder in
            let later = folder.appending(path: "later"), now = folder.appending(path: "now")
            for place in [later, now] {
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            }
            let bench = try PhotoBench(options(later, .later))
            bench.develop()
            let path = try #require(try await capture(bench).path)
            bench.photos.close()
            bench.photos.developRest()
            #expect(try bench.photographs == ["proxy 1"] && isDegraded(path) == true)
            let negatives = try #require(try DeferredPhotoStore(of: later.path, making: false))
            #expect(try negatives.contents().names == ["clip-0000.950-photo.png"])
            #expect(negatives.claim("clip-0000.950-photo.png"))
            let photo = try negatives.develop("clip-0000.950-photo.png", PhotoProcessor(), overwrite: false)
            let other = try PhotoBench(options(now, .off))
            other.develop()
            let expected = try await capture(other)
            other.photos.close()
            #expect(photo.resolvedSettings.frames == expected.resolvedSettings.frames && photo.time == expected.time)
            // Except for their quality markers.
            #expect(pixels(photo.fileDataRepresentation) == pixels(expected.fileDataRepresentation))
            #expect(!pixels(photo.fileDataRepresentation).isEmpty)
        }
    }

    /// The coded pixels of a PNG: its IDAT chunks.
    private func pixels(_ png: [UInt8]) -> [UInt8] {
        var (all, offset): ([UInt8], Int) = ([], 8)
        while offset + 12 <= png.count {
            let length = png[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            if png[offset + 4..<offset + 8].elementsEqual("IDAT".utf8) { all += png[offset + 8..<offset + 8 + length] }
            offset += 12 + length
        }
        return all
    }

    @Test("Without disk space for its frames the photograph is made at once")
    func noRoom() async throws {
        try await withTemporaryFolder { folder in
            let bench = try PhotoBench(options(folder, .later))
            bench.develop()
            defer { bench.photos.close() }
            // A file is in the way of the folder.
            let place = folder.appending(path: ".flourish/negatives")
            try FileManager.default.removeItem(at: place)
            try Data().write(to: place)
            let photo = try await capture(bench)
            #expect(!photo.isProxy && photo.resolvedSettings.photoQualityPrioritization == .quality)
            #expect(bench.photographs == ["finished 1"])
        }
    }

    @Test("A deferred photo with invalid properties is refused")
    func nonsense() async throws {
        try await withTemporaryFolder { folder in
            let bench = try PhotoBench(options(folder, .later))
            bench.develop()
            _ = try await capture(bench)
            bench.photos.close()
            let name = "clip-0000.950-photo.png"
            let negatives = try #require(try DeferredPhotoStore(of: folder.path, making: false))
            let file = negatives.source(name)
            let reader = try FrameArchiveReader(file)
            let plain = String(decoding: reader.header, as: UTF8.self)
            let negative = try DeferredPhoto(reading: file)
            let claims = #""location":{"latitude":1,"longitude":2,"altitude":3},"captureTime":4,"#
            let header = plain.replacing(#""metadata":{"#, with: #""metadata":{"# + claims)
            #expect(header != plain)
            let processor = PhotoProcessor()
            for match in header.matches(of: /:(-?[0-9.]+)/).prefix(40) {
                for value in ["-1", "0", "7", "65536", "2147483648", "-9223372036854775808", "9e18", "1e300", "null"] {
                    var changed = header
                    changed.replaceSubrange(match.1.startIndex..<match.1.endIndex, with: value)
                    let hidden = try FrameArchive.fill(
                        for: file, header: Array(changed.utf8), count: negative.moment.frames.count
                    ) { negative.moment.frames[$0].frame.samples() }
                    try TemporaryFile.publish(hidden, as: file, overwrite: true)
                    // It is developed, or refused.
                    _ = try? negatives.develop(name, processor, overwrite: true)
                }
            }
        }
    }

    @Test("Damage is detected anywhere in a deferred photo")
    func damage() async throws {
        try await withTemporaryFolder { folder in
            let bench = try PhotoBench(options(folder, .later))
            bench.develop()
            _ = try await capture(bench)
            bench.photos.close()
            let file = folder.appending(path: ".flourish/negatives/clip-0000.950-photo.png.negative")
            let whole = try Data(contentsOf: file)
            #expect(try DeferredPhoto(reading: file.path).moment.frames.count > 5)
            var generator = SeededGenerator(seed: 3)
            for round in 0..<200 {
                var bytes = whole
                if round % 2 == 0 {
                    // The beginning holds most fields.
                    let place = Int.random(in: 0..<(round % 4 == 0 ? 1500 : bytes.count), using: &generator)
                    bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
                } else {
                    bytes = bytes.prefix(Int.random(in: 0..<bytes.count, using: &generator))
                }
                try bytes.write(to: file)
                #expect(throws: (any Error).self) { try DeferredPhoto(reading: file.path) }
            }
        }
    }
}
