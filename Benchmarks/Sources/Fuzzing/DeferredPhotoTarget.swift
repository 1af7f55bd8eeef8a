import Flourish
import Foundation
import MediaIO
import Platform
import Raster
import Studio

/// A deferred photograph in an untrusted folder.
///
/// An input is the line that describes the frames, and their samples; it is mostly embedded in a complete file, with
/// a correct checksum.
package struct DeferredPhotoTarget: FuzzTarget {
    package let name = "negative"
    private let folder: FuzzFolder
    package init(folder: FuzzFolder) { self.folder = folder }

    private static let newline = UInt8(ascii: "\n")

    package func seeds() throws -> [FuzzInput] {
        let pool = FramePool()
        return try ["jpg", "png", "webp", "avif"].map { ending in
            let isDeep = ending == "avif"
            let format = PictureFormat(width: 48, height: 32, bitDepth: isDeep ? 10 : 8, chroma: .yuv420)
            let frame = try VideoFrame(format: format, time: .zero, pool: pool)
            let layout = String(decoding: try JSONEncoder().encode(frame.sampleLayout()), as: UTF8.self)
            let header = """
                {"frames":[\(layout),\(layout)],"isFinishingEnabled":true,"metadata":{"captureTime":1700000000.5,\
                "comment":"{}","description":"heart","location":{"latitude":1,"longitude":2}},\
                "photoQualityPrioritization":"quality","processedFileType":"\(ending == "jpg" ? "jpeg" : ending)",\
                "proxy":"murmur3:00","reference":1,"time":1.5}
                """
            // The pattern is arbitrary; samples of 10 bits have two bytes.
            let count = 2 * frame.samples().count
            let samples = (0..<count).map { (index: Int) -> UInt8 in
                UInt8(isDeep && index % 2 == 1 ? index / 64 % 4 : index * 37 % 251)
            }
            return FuzzInput(kind: ending, bytes: Array(header.utf8) + [Self.newline] + samples)
        }
    }

    package func mutate(_ input: inout FuzzInput, _ random: inout FuzzRandom) {
        guard let end = input.bytes.firstIndex(of: Self.newline), !random.once(in: 8) else {
            return ByteMutator.mutate(&input.bytes, within: input.bytes.indices, &random)
        }
        var header = Array(input.bytes[..<end])
        TextMutator.mutate(&header, &random)
        input.bytes.replaceSubrange(..<end, with: header.filter { $0 != Self.newline })
    }

    package func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String {
        _ = folder.empty()
        let place = folder.path + "/.flourish/negatives/"
        let path = place + "in.\(input.kind).negative"
        do {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let end = input.bytes.firstIndex(of: Self.newline) ?? input.bytes.endIndex
            if seed % 8 == 0 {
                try Data(Array("flourish frames 1\n".utf8) + input.bytes).write(to: URL(filePath: path))
            } else {
                let samples = Array(input.bytes[end...].dropFirst())
                let hidden = try FrameArchive.fill(
                    for: path, header: Array(input.bytes[..<end]), count: 1, samples: { _ in samples })
                try TemporaryFile.publish(hidden, as: path, overwrite: true)
            }
        } catch { throw FuzzFault("no room in \(folder.path)") }
        do {
            let finished = try await PhotoDeveloper().develop(folder.path, overwrite: true)
            guard finished.count == 1 else { throw FuzzFault("\(finished.count) photographs are reported") }
            let photo = folder.path + "/in.\(input.kind)"
            switch finished[0].result {
            case .busy: throw FuzzFault("somebody else is at work on it")
            case .failed(let error):
                if FileKind.of(photo) != nil { throw FuzzFault("a photograph is there, and it failed") }
                if FileKind.of(path) == nil { throw FuzzFault("what could not be developed is gone") }
                return try Refusal.word(for: error)
            case .developed:
                if FileKind.of(photo) == nil { throw FuzzFault("the photograph is not there") }
                return "developed"
            }
        } catch let fault as FuzzFault { throw fault } catch { return try Refusal.word(for: error) }
    }
}
