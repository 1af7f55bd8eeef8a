import Flourish
import Foundation

/// An entry point for untrusted input.
package protocol FuzzTarget: Sendable {
    var name: String { get }

    /// Valid inputs to start from.
    func seeds() throws -> [FuzzInput]

    /// Applies one mutation.
    func mutate(_ input: inout FuzzInput, _ random: inout FuzzRandom)

    /// Runs the program's code on an input.
    ///
    /// - Parameter seed: selects further parameters, such as options.
    /// - Returns: the outcome in a word; accepted and refused inputs are counted separately.
    /// - Throws: ``FuzzFault`` for a fault. The campaign detects crashes, and excessive time and memory, from
    ///   outside.
    func execute(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String
}

extension FuzzTarget {
    package func mutate(_ input: inout FuzzInput, _ random: inout FuzzRandom) {
        TextMutator.mutate(&input.bytes, &random)
    }

    /// Returns an input that depends on the seeds and a number alone.
    package func input(_ number: UInt64, seeds: [FuzzInput]) -> FuzzInput {
        var random = FuzzRandom(seed: number)
        var input = random.pick(seeds)
        for _ in 0..<random.pick([1, 1, 2, 3, 5]) {
            mutate(&input, &random)
            if input.bytes.isEmpty || input.bytes.count > 4 << 20 { break }
        }
        return input
    }
}

/// Bytes, with their kind of file.
package struct FuzzInput: Sendable {
    /// The extension of a file's name.
    package var kind: String
    package var bytes: [UInt8]

    package init(kind: String, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    init(_ kind: String, _ text: String) { self.init(kind: kind, bytes: Array(text.utf8)) }
}

/// A fault of the program.
package struct FuzzFault: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// Classification of refusals.
enum Refusal {
    /// Prints messages for debugging.
    private static let printsMessages = ProcessInfo.processInfo.environment["FLOURISH_FUZZ_WORDS"] != nil

    /// - Throws: ``FuzzFault`` for an internal error, and for an error without a message.
    static func word(for error: any Error) throws(FuzzFault) -> String {
        guard let error = error as? FlourishError else { return "refused" }
        if error.code == .internal { throw FuzzFault("a fault of its own: \(error.message)") }
        if error.message.isEmpty { throw FuzzFault("it says nothing") }
        return "refused: \(error.code)" + (printsMessages ? ": " + error.message : "")
    }
}
