import Platform

/// 2 to a power.
func power(_ octaves: Double) -> Double { exp2(octaves) }

/// The power of two that a ratio is.
func octaves(_ ratio: Double) -> Double { log2(ratio) }
