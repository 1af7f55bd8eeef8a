import Flourish
import Foundation

/// One way by which bytes of strangers come into the program.
package protocol FuzzDoor: Sendable {
    var name: String { get }

    /// Valid inputs to begin with.
    func seeds() throws -> [FuzzInput]

    /// Changes one thing.
    func mutate(_ input: inout FuzzInput, _ random: inout FuzzRandom)

    /// Lets an input in, as the program does.
    ///
    /// - Parameter seed: decides what is chosen beside the input, such as options.
    /// - Returns: what came of it, in a word: what was accepted is counted apart from what was refused.
    /// - Throws: ``FuzzFault`` for what must not happen. A crash, and what takes too long or too much memory, is seen from
    ///   outside.
    func enter(_ input: FuzzInput, seed: UInt64) async throws(FuzzFault) -> String
}

extension FuzzDoor {
    package func mutate(_ input: inout FuzzInput, _ random: inout FuzzRandom) {
        TextMutator.mutate(&input.bytes, &random)
    }

    /// An input that follows from the seeds and a number alone.
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

/// Bytes, and what kind of file they are.
package struct FuzzInput: Sendable {
    /// The ending of a file's name.
    package var kind: String
    package var bytes: [UInt8]

    package init(kind: String, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }

    init(_ kind: String, _ text: String) { self.init(kind: kind, bytes: Array(text.utf8)) }
}

/// What must not happen.
package struct FuzzFault: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// What refusals count as.
enum Refusal {
    /// For whoever looks for the cause.
    private static let tellsWords = ProcessInfo.processInfo.environment["FLOURISH_FUZZ_WORDS"] != nil

    /// - Throws: ``FuzzFault`` for a fault of the program's own, and where nothing is said.
    static func word(for error: any Error) throws(FuzzFault) -> String {
        guard let error = error as? FlourishError else { return "refused" }
        if error.code == .internal { throw FuzzFault("a fault of its own: \(error.message)") }
        if error.message.isEmpty { throw FuzzFault("it says nothing") }
        return "refused: \(error.code)" + (tellsWords ? ": " + error.message : "")
    }
}
