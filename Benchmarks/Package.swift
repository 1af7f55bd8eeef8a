// swift-tools-version: 6.2
import PackageDescription

/// The compiler settings of the product.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

// A separate package: benchmarks are no part of the product. They run the built program like a user, and need none of
// the product's modules.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v26)],
    targets: [
        .executableTarget(name: "bench", swiftSettings: strict),
        .executableTarget(name: "evaluate", swiftSettings: strict),
        .testTarget(name: "evaluateTests", dependencies: ["evaluate"], swiftSettings: strict),
    ]
)
