import Synchronization

/// A bounded queue between two threads, whose bound provides back-pressure: a fast sender waits for the receiver.
///
/// Elements may be noncopyable; an element given to ``send(_:)`` belongs to the channel until ``receive()`` returns it.
///
/// FFmpeg's calls block, so sender and receiver are POSIX threads that wait on a condition variable, never threads of
/// Swift's cooperative pool. Passing an element from one thread to the other takes about 5 µs.
@safe
package final class Channel<Element: ~Copyable & Sendable>: @unchecked Sendable {
    // All state below is guarded by `mutex`.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let slots: UnsafeMutablePointer<Element>
    private let capacity: Int
    private var head = 0
    private var count = 0
    /// The number of senders that have not finished. At 0 no more elements follow; queued ones can still be received.
    private var senders: Int
    private var finished: Bool { senders <= 0 }
    /// A Boolean value that indicates that there is no receiver any more; sent elements are dropped.
    private var cancelled = false

    /// - Parameters:
    ///   - capacity: The maximum number of queued elements; more than 0.
    ///   - senders: The number of senders. Each of them calls ``finish()``.
    package init(capacity: Int, senders: Int = 1) {
        precondition(capacity > 0 && senders > 0)
        self.capacity = capacity
        self.senders = senders
        unsafe slots = .allocate(capacity: capacity)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(changed, nil)
    }

    deinit {
        dropAll()
        unsafe slots.deallocate()
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Waits for room and appends an element.
    ///
    /// - Returns: Whether it was accepted; `false` after ``cancel()``, when the element has been dropped and the sender
    ///   should stop.
    package func send(_ element: consuming Element) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while count == capacity && !cancelled { unsafe pthread_cond_wait(changed, mutex) }
        guard !cancelled else { return false }
        precondition(!finished, "send after finish")
        unsafe (slots + (head + count) % capacity).initialize(to: element)
        count += 1
        ProgressHeartbeat.record()
        unsafe pthread_cond_broadcast(changed)
        return true
    }

    /// Appends an element like ``send(_:)``, but also returns `false` if another thread has finished the channel
    /// meanwhile.
    package func sendUnlessFinished(_ element: consuming Element) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while count == capacity && !cancelled && !finished { unsafe pthread_cond_wait(changed, mutex) }
        guard !cancelled, !finished else { return false }
        unsafe (slots + (head + count) % capacity).initialize(to: element)
        count += 1
        ProgressHeartbeat.record()
        unsafe pthread_cond_broadcast(changed)
        return true
    }

    /// Appends an element without waiting; if there is no room, the oldest one is dropped.
    package func sendNewest(_ element: consuming Element) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        guard !cancelled, !finished else { return }
        if count == capacity {
            unsafe (slots + head).deinitialize(count: 1)
            head = (head + 1) % capacity
            count -= 1
        }
        unsafe (slots + (head + count) % capacity).initialize(to: element)
        count += 1
        unsafe pthread_cond_broadcast(changed)
    }

    /// Waits for an element and dequeues it.
    ///
    /// - Returns: `nil` when all senders have called ``finish()`` and the queue is empty, and after ``cancel()``.
    package func receive() -> Element? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while count == 0 && !finished && !cancelled { unsafe pthread_cond_wait(changed, mutex) }
        guard count > 0 else { return nil }
        let element = unsafe (slots + head).move()
        head = (head + 1) % capacity
        count -= 1
        ProgressHeartbeat.record()
        unsafe pthread_cond_broadcast(changed)
        return element
    }

    /// Signals that the caller sends nothing more.
    package func finish() {
        unsafe pthread_mutex_lock(mutex)
        senders -= 1
        unsafe pthread_cond_broadcast(changed)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Drops the queued elements and wakes all waiting threads, to abort the pipeline.
    package func cancel() {
        unsafe pthread_mutex_lock(mutex)
        cancelled = true
        dropAll()
        unsafe pthread_cond_broadcast(changed)
        unsafe pthread_mutex_unlock(mutex)
    }

    private func dropAll() {
        while count > 0 {
            unsafe (slots + head).deinitialize(count: 1)
            head = (head + 1) % capacity
            count -= 1
        }
    }
}

/// A value that several threads read and replace, guarded by a mutex.
package final class Slot<Value: Sendable>: Sendable {
    private let held: Mutex<Value>

    package init(_ value: Value) { held = Mutex(value) }

    package var value: Value {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
}
