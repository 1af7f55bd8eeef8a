import Platform

extension WorkBudget {
    /// Lets somebody in who waits at a listening socket.
    ///
    /// - Returns: `nil` where nobody waits, or the budget is spent.
    mutating func accept(at listener: Int32) -> LocalSocket? {
        guard !isSpent else { return nil }
        #if canImport(Darwin)
        let descriptor = Darwin.accept(listener, nil, nil)
        #else
        let descriptor = Glibc.accept(listener, nil, nil)
        #endif
        guard descriptor >= 0 else {
            // Out of descriptors: those who wait are served when some are free again.
            if errno == EMFILE || errno == ENFILE || errno == ENOBUFS { spend(Self.units) }
            return nil
        }
        spend(1)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return LocalSocket(owning: descriptor)
    }
}
