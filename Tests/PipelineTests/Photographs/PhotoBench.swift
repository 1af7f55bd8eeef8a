import MediaIO
import Platform
import Raster
import Reactions
import Synchronization
import TestSupport

@testable import Pipeline

/// A photo capture with a test's own frames, and the thread that develops its photographs.
final class PhotoBench: Sendable {
    let photos = PhotoCapture()
    private let pool = FramePool()
    private let reported = Mutex<[ReactionEvent.Kind]>([])

    /// Starts a run.
    init(_ options: PhotoOptions = PhotoOptions(), isLive: Bool = true, overwrite: Bool = false) throws {
        let negatives =
            try options.deferredPhotoDelivery == .off
            ? nil : options.folder.flatMap { try DeferredPhotoStore(of: $0, making: true) }
        photos.open(
            PhotoCapture.Run(
                options: options, policy: isLive ? .live : .recorded, resources: Resources(), metadata: [:], start: 0,
                stem: "clip",
                replacement: overwrite ? .all : .none, deferredPhotos: negatives,
                emit: { [weak self] kind in self?.reported.withLock { $0.append(kind) } }))
    }

    /// The emitted events.
    var events: [ReactionEvent.Kind] { reported.withLock { $0 } }

    /// The ids of the photographs in events, with the kind of event.
    var photographs: [String] {
        events.compactMap { kind in
            switch kind {
            case .photoProxy(let detail): "proxy \(detail.id)"
            case .photoFinished(let detail): "finished \(detail.id)"
            case .photoFailed(let id, _): "failed \(id)"
            default: nil
            }
        }
    }

    /// Offers a frame: grey, lighter from frame to frame, with a little noise.
    func offer(_ index: Int, rate: Int32, width: Int = 64, height: Int = 48) throws {
        let time = MediaTime(value: Int64(index), timeBase: Rational(1, rate))
        var frame = try VideoFrame(
            format: PictureFormat(width: width, height: height), time: time,
            duration: MediaTime(value: 1, timeBase: Rational(1, rate)), pool: pool)
        try frame.withMutablePicture(pool: pool) { picture in
            for plane in Plane.allCases {
                picture.with8BitPlane(plane) { samples, _ in
                    for sample in samples.indices {
                        let noise = UInt8((sample &* 2_654_435_761 &+ index &* 40_503) >> 16 & 7)
                        samples[sample] = plane == .luma ? UInt8(40 + index % 150) + noise : 128
                    }
                }
            }
        }
        photos.offer(frame)
    }

    /// Starts to develop photographs; ends once the capture is closed.
    func develop() { StageThread { [photos] in photos.develop() }.detach() }

    /// Requests a photograph, and returns an error by its code.
    func capture(
        _ quality: PhotoQualityPrioritization = .speed, at time: Double? = nil, delay: Double = 0
    ) async -> Result<Photo, FlourishError> {
        do {
            return .success(
                try await photos.capture(
                    PhotoSettings(.png, photoQualityPrioritization: quality), at: time, delay: delay)
            )
        } catch {
            return .failure(error)
        }
    }

    /// Waits for an effect of another thread.
    func waits(for condition: () -> Bool) async throws -> Bool {
        for _ in Hang.rounds(milliseconds: 10) {
            if condition() { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}

extension Result where Success == Photo, Failure == FlourishError {
    /// The time of its frame, in seconds.
    var time: Double? { (try? get())?.time }

    var code: FlourishError.Code? { if case .failure(let error) = self { error.code } else { nil } }
}
