import Foundation
import Reactions
import Testing
import TestSupport

@testable import Pipeline

@Suite("Photo capture") struct PhotoCaptureTests {
    @Test("A photograph shows the frame of its instant", arguments: [30, 60] as [Int32])
    func instants(rate: Int32) async throws {
        let bench = try PhotoBench()
        bench.develop()
        defer { bench.photos.close() }
        var generator = SeededGenerator(seed: 7)
        for index in 0..<Int(rate) * 2 {
            try bench.offer(index, rate: rate)
            guard index > rate, index % 5 == 0 else { continue }
            let newest = Double(index) / Double(rate)
            // An instant of the last half second, as seen by a viewer with that latency.
            let delay = Double.random(in: 0...0.45, using: &generator)
            let expected = ((newest - delay + 0.0005) * Double(rate)).rounded(.down) / Double(rate)
            for photo in [await bench.capture(at: newest - delay), await bench.capture(delay: delay)] {
                #expect(abs((photo.time ?? -1) - expected) < 0.0001, "\(newest) - \(delay)")
            }
        }
    }

    @Test("Instants that are too old or in the future")
    func otherInstants() async throws {
        let bench = try PhotoBench()
        bench.develop()
        defer { bench.photos.close() }
        #expect(await bench.capture().code == .unavailable, "there is no frame yet")
        for index in 0..<40 { try bench.offer(index, rate: 20) }
        let old = await bench.capture(at: 0.2)
        #expect(abs((old.time ?? 0) - 1.45) < 0.051, "the oldest that is kept")
        async let coming = bench.capture(at: 2.12)
        #expect(try await bench.waits { bench.photos.readiness == .notReadyWaitingForCapture })
        for index in 40..<43 { try bench.offer(index, rate: 20) }
        let shown = await coming
        #expect(shown.time == 2.1)
        let far = await bench.capture(at: 9)
        #expect(far.code == .usage && far.time == nil, "the instant is in the future")
    }

    @Test("Without zero shutter lag a photograph shows the next frame, and pending requests are answered at the end")
    func nextFrame() async throws {
        var options = PhotoOptions()
        options.isZeroShutterLagEnabled = false
        let bench = try PhotoBench(options)
        bench.develop()
        for index in 0..<10 { try bench.offer(index, rate: 10) }
        #expect(bench.photos.readiness == .ready)
        async let photo = bench.capture(at: 0.3)
        #expect(try await bench.waits { bench.photos.readiness == .notReadyWaitingForCapture })
        try bench.offer(10, rate: 10)
        let shown = await photo
        #expect(shown.time == 1)
        #expect(try await bench.waits { bench.photos.readiness == .ready })
        async let late = bench.capture()
        #expect(try await bench.waits { bench.photos.readiness == .notReadyWaitingForCapture })
        bench.photos.close()
        let refused = await late
        #expect(refused.code == .unavailable)
        #expect(await bench.capture().code == .unavailable, "after the end")
        #expect(bench.photos.readiness == .sessionNotRunning)
    }

    @Test("Ten thousand requests at once are all answered", arguments: [true, false])
    func flood(usesPastFrames: Bool) async throws {
        let count = 10_000
        var options = PhotoOptions()
        options.isZeroShutterLagEnabled = usesPastFrames
        let bench = try PhotoBench(options)
        for index in 0..<10 { try bench.offer(index, rate: 10) }
        let answers = await withTaskGroup(of: Result<Photo, FlourishError>.self) { group in
            for _ in 0..<count { group.addTask { await bench.capture(.quality) } }
            var answers: [Result<Photo, FlourishError>] = []
            while answers.count < count - PhotoRequestQueue.maxRequestCount, let answer = await group.next() {
                answers.append(answer)
            }
            // All remaining ones are under way.
            #expect(
                bench.photos.readiness == (usesPastFrames ? .notReadyWaitingForProcessing : .notReadyWaitingForCapture))
            bench.develop()
            try? bench.offer(10, rate: 10)
            for await answer in group { answers.append(answer) }
            return answers
        }
        #expect(answers.count == count)
        let photos = answers.compactMap { try? $0.get() }
        #expect(photos.count == PhotoRequestQueue.maxRequestCount)
        #expect(answers.allSatisfy { $0.code == nil || $0.code == .unavailable })
        // Memory is bounded: further requests get a single frame.
        #expect(
            photos.reduce(0) { $0 + $1.resolvedSettings.frames } <= PhotoRequestQueue.maxHeldFrameCount
                + PhotoRequestQueue.maxRequestCount)
        #expect(try await bench.waits { bench.photos.readiness == .ready })
        bench.photos.close()
    }

    @Test("Requests while the run ends are answered")
    func endings() async throws {
        for _ in 0..<20 {
            let bench = try PhotoBench()
            bench.develop()
            for index in 0..<3 { try bench.offer(index, rate: 10) }
            let answers = await withTaskGroup(of: Result<Photo, FlourishError>.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        if number == 20 { bench.photos.close() }
                        return await bench.capture()
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == 40)
            #expect(answers.allSatisfy { $0.code == nil || $0.code == .unavailable })
        }
    }

    @Test("Fast capture reduces quality for quick requests, and reports it")
    func fastCapture() async throws {
        var options = PhotoOptions()
        options.isFastCapturePrioritizationEnabled = true
        let bench = try PhotoBench(options)
        bench.develop()
        defer { bench.photos.close() }
        var chosen: [PhotoQualityPrioritization?] = []
        for index in 0..<80 {
            try bench.offer(index, rate: 20)
            if [20, 24, 36, 60].contains(index) {
                chosen.append(try? await bench.capture(.quality).get().resolvedSettings.photoQualityPrioritization)
            }
        }
        #expect(chosen == [.quality, .balanced, .balanced, .quality])
    }

    @Test("Without responsive capture one is taken after another")
    func unresponsive() async throws {
        var options = PhotoOptions()
        options.isResponsiveCaptureEnabled = false
        let bench = try PhotoBench(options)
        for index in 0..<4 { try bench.offer(index, rate: 10) }
        async let first = bench.capture()
        #expect(try await bench.waits { bench.photos.readiness == .notReadyWaitingForProcessing })
        #expect(await bench.capture().code == .unavailable)
        bench.develop()
        let taken = await first
        #expect(taken.code == nil)
        #expect(try await bench.waits { bench.photos.readiness == .ready })
        #expect(await bench.capture().code == nil)
        bench.photos.close()
    }

    @Test("Frames of another size are not fused")
    func sizes() async throws {
        let bench = try PhotoBench()
        bench.develop()
        defer { bench.photos.close() }
        for index in 0..<6 { try bench.offer(index, rate: 20) }
        for index in 6..<9 { try bench.offer(index, rate: 20, width: 33, height: 17) }
        let photo = try await bench.capture(.quality).get()
        #expect(photo.resolvedSettings.frames == 3 && photo.resolvedSettings.width == 33)
        let before = try await bench.capture(.quality, at: 0.2).get()
        #expect(before.resolvedSettings.frames == 6 && before.resolvedSettings.width == 64)
    }
}
