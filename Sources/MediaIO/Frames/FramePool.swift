internal import CFFmpeg
internal import Raster
internal import Synchronization

/// Reuses the memory of pictures.
///
/// Buffers return to the pool when their frame is released, on any thread; frames may outlive the pool. The pool keeps
/// as many buffers as frames existed at the same time, so the pipeline's bounded channels limit its size.
///
/// `AVBufferPool`
package final class FramePool: Sendable {
    /// Counters of a pool's work, with which tests check that frames without effects are neither copied nor converted.
    package struct Counts: Sendable, Hashable {
        /// Frames that the pool has handed out.
        package var frames = 0
        /// The number of allocated buffers; all other requests reused a buffer.
        package var allocations = 0
        /// Pictures that were copied because their pixels were shared.
        package var copies = 0
        /// Pictures that were converted to another format or size.
        package var conversions = 0

        package init() {}
    }

    private struct State {
        var counts = Counts()
        /// The buffers of the last requested size. Sizes rarely change midway.
        var buffers: BufferPool?
    }

    private let state = Mutex(State())

    package init() {}

    package var counts: Counts {
        state.withLock { state in
            var counts = state.counts
            counts.allocations += state.buffers?.allocations ?? 0
            return counts
        }
    }

    func countCopy() { state.withLock { $0.counts.copies += 1 } }
    func countConversion() { state.withLock { $0.counts.conversions += 1 } }

    /// Returns an empty frame of a size and format, with rows at 64-byte boundaries.
    func makeFrame(width: Int, height: Int, format: AVPixelFormat) throws(MediaError) -> FrameHandle {
        let alignment: Int32 = 64
        // libswscale and codecs may write whole vectors past the end of a row or of the picture. Therefore the width is
        // rounded up, and the buffer is larger than needed.
        let alignedWidth = (Int32(width) + 63) & ~63
        let size = av_image_get_buffer_size(format, alignedWidth, Int32(height), alignment)
        let frame = try FrameHandle.empty(width: width, height: height, format: format)
        guard size > 0, let buffer = unsafe acquireBuffer(size: Int(size) + 1024) else {
            throw MediaError(.internal, file: "", "out of memory for a picture of \(width)×\(height)")
        }
        unsafe frame.buf.0 = unsafe buffer
        unsafe cffmpeg_fill_planes(frame.pointer, buffer.pointee.data, alignedWidth, alignment)
        return frame
    }

    @unsafe
    private func acquireBuffer(size: Int) -> UnsafeMutablePointer<AVBufferRef>? {
        let pool: BufferPool? = state.withLock { state in
            state.counts.frames += 1
            if let buffers = state.buffers, buffers.size == size { return buffers }
            guard let buffers = BufferPool(size: size) else { return nil }
            state.counts.allocations += state.buffers?.allocations ?? 0
            state.buffers = buffers
            return buffers
        }
        return unsafe pool?.acquire()
    }
}

/// One `AVBufferPool` and the number of its allocations.
@safe
private final class BufferPool: @unchecked Sendable {
    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    let size: Int
    private let counter: Counter
    private let pool: OpaquePointer

    var allocations: Int { counter.value.load(ordering: .relaxed) }

    /// - Returns: nil if there is no memory.
    init?(size: Int) {
        let counter = Counter()
        // FFmpeg keeps the counter until the last buffer is returned.
        let kept = unsafe Unmanaged.passRetained(counter)
        let pool = unsafe av_buffer_pool_init2(
            size, kept.toOpaque(),
            { opaque, size in
                let counter = unsafe Unmanaged<Counter>.fromOpaque(opaque!).takeUnretainedValue()
                counter.value.add(1, ordering: .relaxed)
                return unsafe av_buffer_alloc(size)
            },
            { opaque in unsafe Unmanaged<Counter>.fromOpaque(opaque!).release() })
        guard let pool = unsafe pool else {
            unsafe kept.release()
            return nil
        }
        unsafe (self.size, self.counter, self.pool) = unsafe (size, counter, pool)
    }

    deinit {
        var closing: OpaquePointer? = unsafe pool
        unsafe av_buffer_pool_uninit(&closing)
    }

    @unsafe
    func acquire() -> UnsafeMutablePointer<AVBufferRef>? {
        unsafe av_buffer_pool_get(pool)
    }
}
