// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for all of our own code: the strictest that Swift 6.3 has.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A target of ours. The list of its dependencies is the whole of what it may import:
/// never upward, never in a circle (see docs/design/structure.md).
func module(_ name: String, imports dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// - Parameter isOptimised: Whether the tests themselves look at many pixels. The others need no optimiser, which takes
///   twice the time of the rest of the compiler.
func tests(
    _ name: String, of dependencies: [Target.Dependency], exclude: [String] = [], isOptimised: Bool = false
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"],
        exclude: exclude, swiftSettings: strict + (isOptimised ? [] : [.unsafeFlags(["-Onone"])]))
}

let package = Package(
    name: "flourish",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "Flourish", targets: ["Flourish"]),
        .executable(name: "flourish", targets: ["FlourishCommand"]),
        // The objects of libflourish.so, which Scripts/library links: SwiftPM cannot put Swift's runtime into a shared library.
        .library(name: "flourish-c", type: .static, targets: ["FlourishC"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/LebJe/TOMLKit", exact: "0.6.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CFFmpeg", pkgConfig: "libavformat libavcodec libswscale libavutil",
            providers: [
                .apt(["libavformat-dev", "libavcodec-dev", "libswscale-dev", "libavutil-dev"]),
                .brew(["ffmpeg"]),
            ]),
        .systemLibrary(
            name: "CFreeType", pkgConfig: "freetype2", providers: [.apt(["libfreetype-dev"]), .brew(["freetype"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(name: "CSpawn"),
        .systemLibrary(name: "CVideo4Linux"),
        .target(name: "CHarfBuzz"),
        .target(name: "CLiteRT"),
        // The headers' own pkg-config file has a flag that the package manager warns about.
        .target(name: "CPipeWire", cSettings: [.unsafeFlags(["-isystem", "/usr/include/spa-0.2"])]),
        .target(name: "CRaster"),
        .target(name: "CSafeguard"),
        .target(name: "CSandbox"),
        module("Platform", imports: ["CSpawn", "CZlib"]),
        module("Reactions", imports: ["Platform"]),
        module("Raster", imports: ["CRaster", "Platform"]),
        module("MediaIO", imports: ["CFFmpeg", "Platform", "Raster"]),
        module("Vision", imports: ["CLiteRT", "Platform", "Reactions", "Raster"]),
        module("Lettering", imports: ["CFreeType", "CHarfBuzz", "Platform", "Reactions", "Raster"]),
        module("Effects", imports: ["Platform", "Reactions", "Raster", "Lettering"]),
        module("RateControl", imports: ["Platform"]),
        module("Photography", imports: ["Platform", "Raster"]),
        module(
            "Pipeline",
            imports: [
                "Platform", "Reactions", "Raster", "MediaIO", "Vision", "Effects", "RateControl", "Photography",
            ]),
        module(
            "Studio",
            imports: [
                "Platform", "Reactions", "Raster", "MediaIO", "Vision", "Lettering", "Effects", "Pipeline",
            ]),
        module(
            "Flourish",
            imports: [
                "Platform", "Reactions", "Raster", "MediaIO", "Vision", "Effects", "Pipeline", "Studio",
                .product(name: "TOMLKit", package: "TOMLKit"),
            ]),
        module(
            "FlourishControl",
            imports: [
                "Flourish", "Platform", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        .target(name: "CFlourish"),
        module("FlourishC", imports: ["CFlourish", "Flourish", "Platform", "Reactions"]),
        module(
            "Camera",
            imports: [
                .target(name: "CPipeWire", condition: .when(platforms: [.linux])),
                .target(name: "CVideo4Linux", condition: .when(platforms: [.linux])), "Platform", "MediaIO", "Studio",
                "Flourish",
            ]),
        module("Puppet", imports: ["Platform", "Reactions", "Raster", "MediaIO"]),
        .executableTarget(
            name: "FlourishCommand",
            dependencies: [
                "CSafeguard", "CSandbox", "Camera", "Flourish", "FlourishControl", "MediaIO", "Platform", "Puppet",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // What the tests build and run of the documentation.
        .executableTarget(
            name: "frame-filter", dependencies: ["Flourish"], path: "docs/examples/frame-filter", swiftSettings: strict),
        .executableTarget(
            name: "camera-queue", dependencies: ["Flourish"], path: "docs/examples/camera-queue", swiftSettings: strict),

        // How the weights in Assets/Gestures are made; the product uses none of it.
        .target(
            name: "GestureTraining", dependencies: ["Vision", "Puppet"],
            path: "Benchmarks/Sources/GestureTraining", swiftSettings: strict),
        .executableTarget(
            name: "train",
            dependencies: ["GestureTraining", "Vision", "Raster", "MediaIO", "Pipeline", "Flourish"],
            path: "Benchmarks/Sources/train", swiftSettings: strict),

        // What measures the mask of people; the product uses none of it.
        .executableTarget(
            name: "mask",
            dependencies: ["MediaIO", "Pipeline", "Platform", "Puppet", "Raster", "Vision"],
            path: "Benchmarks/Sources/mask", swiftSettings: strict),

        // Fuzz targets for every input parser; not shipped.
        .target(
            name: "Fuzzing",
            dependencies: [
                "Flourish", "FlourishControl", "Studio", "Effects", "Vision", "Puppet", "MediaIO", "Raster",
                "Reactions", "Platform",
            ],
            path: "Benchmarks/Sources/Fuzzing", swiftSettings: strict),
        .executableTarget(
            name: "fuzz", dependencies: ["Fuzzing", "Platform"], path: "Benchmarks/Sources/fuzz",
            swiftSettings: strict),

        .target(name: "TestSupport", dependencies: ["Reactions"], path: "Tests/TestSupport", swiftSettings: strict),
        tests("PlatformTests", of: ["Platform"]),
        tests("ReactionsTests", of: ["Reactions"]),
        tests("RasterTests", of: ["Raster"], isOptimised: true),
        tests("MediaIOTests", of: ["MediaIO", "Platform", "Raster"]),
        tests("VisionTests", of: ["Vision", "Reactions", "Raster", "MediaIO", "Platform", "GestureTraining"]),
        tests("LetteringTests", of: ["Lettering", "Reactions", "Raster"]),
        tests(
            "EffectsTests", of: ["Effects", "Lettering", "Reactions", "Raster", "MediaIO", "Platform"],
            exclude: ["Goldens"], isOptimised: true),
        tests("RateControlTests", of: ["RateControl"]),
        tests("PhotographyTests", of: ["Photography", "Raster"], isOptimised: true),
        tests(
            "PipelineTests",
            of: [
                "Pipeline", "Vision", "Reactions", "Platform", "MediaIO", "Raster", "Puppet",
            ]),
        tests("StudioTests", of: ["Studio", "Pipeline", "Lettering", "Raster", "Reactions"]),
        tests(
            "FlourishTests",
            of: ["Flourish", "Pipeline", "Reactions", "Platform", "MediaIO", "Raster"]),
        tests(
            "FlourishControlTests",
            of: [
                "FlourishControl", "Flourish", "Pipeline", "Reactions", "Platform",
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        tests(
            "FlourishCTests", of: ["FlourishC", "Flourish", "Reactions"], exclude: ["Client"]),
        tests("CameraTests", of: ["Camera", "Flourish", "MediaIO", "Platform"]),
        tests(
            "PuppetTests", of: ["Puppet", "Reactions", "Raster", "MediaIO", "Vision"],
            exclude: ["Goldens"], isOptimised: true),
        tests(
            "EndToEndTests",
            of: ["FlourishCommand", "FlourishControl", "Reactions", "frame-filter", "camera-queue", "fuzz"],
            exclude: ["Goldens", "Corpus", "Faults"]),
    ]
)
