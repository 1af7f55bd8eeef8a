import Foundation
import Platform
import Testing
import TestSupport

/// The resource limits of a container, by files as Linux writes them.
@Suite struct ControlGroupTests {
    @Test func aContainerSeesItsLimitsAtTheTop() throws {
        let group = try limits("0::/\n", ["cpu.max": "150000 100000\n", "memory.max": "536870912\n"])
        #expect(group.cores == 1.5)
        #expect(group.memory == 536_870_912)
    }

    @Test func theTightestOfAllGroupsAroundCounts() throws {
        let group = try limits(
            "0::/jobs/one\n",
            [
                "jobs/cpu.max": "400000 100000\n", "jobs/one/cpu.max": "max 100000\n",
                "jobs/memory.max": "max\n", "jobs/one/memory.max": "1000000\n",
            ])
        #expect(group.cores == 4)
        #expect(group.memory == 1_000_000)
    }

    @Test func versionOneHasAFolderForEachController() throws {
        let group = try limits(
            "5:memory:/a\n4:cpu,cpuacct:/a\n0::/\n",
            [
                "cpu/a/cpu.cfs_quota_us": "200000\n", "cpu/a/cpu.cfs_period_us": "100000\n",
                "cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n",
                "memory/memory.limit_in_bytes": "9223372036854771712\n", "memory/a/memory.limit_in_bytes": "4096\n",
            ])
        #expect(group.cores == 2)
        #expect(group.memory == 4096)
    }

    @Test(arguments: ["", "0::/\n", "nonsense\n0:\n::\n", "0::/../../etc\n"])
    func otherSystemsHaveNone(_ membership: String) throws {
        let group = try limits(membership, ["cpu.max": "0 0\n", "memory.max": "-5\n"])
        #expect(group.cores == nil && group.memory == nil)
    }

    @Test func thisMachineHasACore() {
        #expect(Machine.cores >= 1)
        #expect(Machine.memory > 0)
    }

    /// The tightest of the machine, the group and the environment counts; what is no positive number does not.
    @Test(
        arguments: [
            (8, nil, nil, 8), (8, 2.5, nil, 3), (8, nil, "2", 2), (8, 1, "4", 1), (2, nil, "16", 2), (8, nil, "0", 8),
            (8, nil, "-3", 8), (8, nil, "two", 8), (8, nil, "", 8), (0, 0, nil, 1),
        ] as [(Int, Double?, String?, Int)])
    func theEnvironmentLowersTheNumberOfCores(present: Int, limit: Double?, named: String?, expected: Int) {
        #expect(Machine.cores(of: present, limit: limit, named: named) == expected)
    }

    private func limits(_ membership: String, _ files: [String: String]) throws -> ControlGroup {
        try withTemporaryFolder { folder in
            let list = folder.appending(path: "membership"), root = folder.appending(path: "root")
            try Data(membership.utf8).write(to: list)
            for (name, text) in files {
                let file = root.appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: file)
            }
            return ControlGroup(membership: list.path, root: root.path)
        }
    }
}
