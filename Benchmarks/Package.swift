// swift-tools-version: 6.2
import PackageDescription

/// The same rules as the product's.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// A package of its own: what measures the product is no part of it. It runs the
// built program as anyone would, and so needs none of the product's modules.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v26)],
    targets: [
        .executableTarget(name: "bench", swiftSettings: strict),
        .executableTarget(name: "evaluate", swiftSettings: strict),
    ]
)
