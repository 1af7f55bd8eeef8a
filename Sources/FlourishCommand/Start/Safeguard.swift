import ArgumentParser
import CSafeguard
import Flourish
import Platform

/// What holds where a library in the process fails it.
enum Safeguard {
    /// Notes from now on what memory is refused, and ends the program in order where a library would end it: with a line and
    /// an exit code, and without unfinished files.
    ///
    /// Swift's runtime would otherwise start a program that tells of the fault, which the sandbox refuses after seconds of
    /// trying. Who sets `SWIFT_BACKTRACE` or `FLOURISH_CORE` wants the fault itself.
    static func begin() {
        RefusedMemory.count { csafeguard_refusals() }
        guard unsafe getenv("SWIFT_BACKTRACE") == nil, unsafe getenv("FLOURISH_CORE") == nil else { return }
        TemporaryFile.watch { path, isUnfinished in
            unsafe isUnfinished ? csafeguard_note(path) : csafeguard_forget(path)
        }
        csafeguard_end_in_order(Console.descriptor, ExitStatus.code(for: .internal).rawValue)
    }
}
