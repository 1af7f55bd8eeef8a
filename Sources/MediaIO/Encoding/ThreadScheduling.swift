import Platform

/// The calling thread's turn on a core.
enum ThreadScheduling {
    /// Does something, after which the thread is scheduled as before.
    ///
    /// SVT-AV1, where root runs it, finds out whether it may have real-time threads by making one of its caller, and
    /// leaves it at that (measured with 1.4). Whatever such a thread starts goes before everything else on the machine.
    static func keeping<Result>(_ body: () -> Result) -> Result {
        var policy: Int32 = 0
        var parameters = sched_param()
        let isKnown = unsafe pthread_getschedparam(pthread_self(), &policy, &parameters) == 0
        defer { if isKnown { _ = unsafe pthread_setschedparam(pthread_self(), policy, &parameters) } }
        return body()
    }
}
