/// A hash that is the same on every machine and in every version: FNV-1a of 64 bits
/// (http://www.isthe.com/chongo/tech/comp/fnv/).
package struct ContentHash: Sendable {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// The same for an array, without the cost of a sequence whose type only the caller knows.
    package mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// It as 16 hexadecimal digits.
    package var digits: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// It with its method: `fnv1a:` and the digits.
    package var text: String { "fnv1a:" + digits }
}
