// This target has no dependencies, so that the benchmarks can share it: it names the C library itself.
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The probability of exactly `count` events where `mean` are expected. By logarithms, so that nothing overflows.
func poissonTerm(_ count: Int, mean: Double) -> Double {
    exp(Double(count) * log(mean) - mean - lgamma(Double(count) + 1))
}

/// The probability of exactly `heads` heads in `count` throws of a coin.
func coinTerm(_ heads: Int, of count: Int) -> Double {
    let (heads, count) = (Double(heads), Double(count))
    return exp(lgamma(count + 1) - lgamma(heads + 1) - lgamma(count - heads + 1) - count * log(2))
}
