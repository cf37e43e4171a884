using System.Text.Json.Nodes;
using Microsoft.Extensions.Logging;
using NUnit.Framework;
using VectorPipe.Tool.Doctor;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

/// <summary><c>vectorpipe doctor</c> says what it found, and what to change where that is not well.</summary>
public sealed class DoctorTests
{
    private TempFolder _folder = null!;

    [SetUp]
    public void MakeFolder() => _folder = new TempFolder();

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    public async Task Everything_is_looked_at_and_nothing_is_left_behind()
    {
        Directory.CreateDirectory(_folder["data"]);
        ToolRun run = await ToolRun.SucceedAsync("doctor", _folder["data"]);
        JsonArray findings = (await ToolRun.JsonAsync("doctor", _folder["data"]))["findings"]!.AsArray();
        string[] names = [.. findings.Select(finding => (string)finding!["name"]!)];
        string[] everywhere =
            ["program", "processors", "vector instructions", "memory", "file system", "device", "direct reads", "time of a read"];
        Assert.That(names, Is.SupersetOf(everywhere).And.Unique);
        Assert.That((string)findings.Single(finding => (string)finding!["name"]! == "time of a read")!["value"]!, Does.Contain("median"));
        Assert.That(run.Output, Does.Contain("vector instructions").And.Contain("time of a read"));
        Assert.That(Directory.EnumerateFileSystemEntries(_folder["data"]), Is.Empty);
    }

    [Test]
    public async Task A_folder_that_does_not_exist_is_named() =>
        (await ToolRun.RunAsync("doctor", _folder["none"])).AssertFailed(ExitCodes.CannotReadOrWrite, "none");

    [TestCase("0", "allowed", null)]
    [TestCase("1", "some", "io_uring_group")]
    [TestCase("2", "forbidden", "io_uring_disabled=0")]
    public void The_setting_of_io_uring_is_explained(string content, string found, string? advice)
    {
        Write("proc/sys/kernel/io_uring_disabled", content);
        AssertFinding("io_uring, setting of the kernel", found, advice);
    }

    [TestCase("8388608              8388608              bytes", "8388608 bytes")]
    [TestCase("unlimited            unlimited            bytes", "unlimited")]
    public void The_limit_of_locked_memory_is_shown(string limit, string found)
    {
        Write("proc/self/limits", $"Limit           Soft Limit      Hard Limit      Units\nMax locked memory         {limit}\n");
        AssertFinding("locked memory", found, null);
        Assert.That(DeviceChecks.Unregistered("ENOMEM").Advice, Does.Contain("ENOMEM").And.Contain("ulimit -l"));
    }

    [TestCase("Seccomp:\t0", "not filtered")]
    [TestCase("Seccomp:\t2", "filtered (seccomp)")]
    public void A_filter_of_system_calls_is_seen(string line, string found)
    {
        Write("proc/self/status", $"Name:\tdotnet\n{line}\n");
        AssertFinding("system calls", found, null);
    }

    [Test]
    public void The_limit_of_a_container_is_shown()
    {
        Write("sys/fs/cgroup/memory.max", "2000000000\n");
        AssertFinding("memory", "2.0 GB for its container", null);
    }

    // The least limit of the own group and of those above it holds; a group that a container does not see is that of the mount.
    [TestCase("0::/kubepods/pod1\n", "", "max", "sys/fs/cgroup/kubepods", "memory.max", "3000000000", "3.0 GB")]
    [TestCase("0::/a/b\n", "sys/fs/cgroup/a", "4000000000", "sys/fs/cgroup/a/b", "memory.max", "1500000000", "1.5 GB")]
    [TestCase("0::/../unseen\n", "", "max", "sys/fs/cgroup", "memory.max", "2500000000", "2.5 GB")]
    [TestCase("3:cpu:/\n5:memory:/docker/x\n0::/\n", "", "1", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "2000000000", "2.0 GB")]
    [TestCase("5:memory:/m\n", "", "1", "sys/fs/cgroup/memory/m", "memory.limit_in_bytes", "1000000000", "1.0 GB")]
    public void The_least_limit_of_the_groups_of_the_process_holds(
        string groups, string other, string otherLimit, string folder, string file, string limit, string found)
    {
        Write("proc/self/cgroup", groups);
        if (other.Length > 0)
            Write($"{other}/{file}", otherLimit);
        Write($"{folder}/{file}", limit);
        AssertFinding("memory", $"{found} for its container ({file} of /{folder})", null);
    }

    [TestCase("sys/fs/cgroup/memory.max", "max")]
    [TestCase("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712")]
    public void No_limit_is_none(string file, string limit)
    {
        Write("proc/self/cgroup", file.Contains("limit_in_bytes", StringComparison.Ordinal) ? "5:memory:/\n" : "0::/\n");
        Write(file, limit);
        Finding finding = new HostChecks(_folder[""]).Run().Single(finding => finding.Name == "memory");
        Assert.That(finding.Value, Does.Not.Contain("container"));
    }

    [Test]
    public void A_limit_that_is_too_low_for_the_runtime_comes_with_advice()
    {
        Write("sys/fs/cgroup/memory.max", "268435456");
        AssertFinding("memory", "0.3 GB for its container", "resources.limits.memory");
    }

    [TestCase("200000 100000", "nr_periods 1000\nnr_throttled 3", "2 processors (cpu.max of /sys/fs/cgroup/a)", null)]
    [TestCase("150000 100000", "", "1.5 processors", "SearchThreads is 2 unless it is set")]
    [TestCase("200000 100000", "nr_periods 1000\nnr_throttled 250", "held back in 25", "set SearchThreads lower")]
    public void A_quota_of_processor_time_is_shown(string quota, string statistics, string found, string? advice)
    {
        Write("proc/self/cgroup", "0::/a/b\n");
        Write("sys/fs/cgroup/cpu.max", "900000 100000");
        Write("sys/fs/cgroup/a/cpu.max", quota);
        Write("sys/fs/cgroup/a/cpu.stat", $"usage_usec 7\n{statistics}\n");
        Write("sys/fs/cgroup/a/b/cpu.max", "max 100000");
        AssertFinding("processor quota", found, advice);
    }

    [TestCase("cpu,cpuacct")]
    [TestCase("cpu")]
    public void A_quota_of_version_1_is_shown(string mount)
    {
        Write("proc/self/cgroup", "4:cpu,cpuacct:/docker/x\n");
        Write($"sys/fs/cgroup/{mount}/cpu.cfs_quota_us", "50000\n");
        Write($"sys/fs/cgroup/{mount}/cpu.cfs_period_us", "100000\n");
        AssertFinding("processor quota", $"0.5 processors (cpu.cfs_quota_us of /sys/fs/cgroup/{mount})", "SearchThreads is 1");
    }

    [TestCase("0::/\n", "sys/fs/cgroup/cpu.max", "max 100000")]
    [TestCase("4:cpu,cpuacct:/\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1")]
    public void Without_a_quota_nothing_is_said_of_one(string groups, string file, string content)
    {
        Write("proc/self/cgroup", groups);
        Write(file, content);
        Write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
        Assert.That(new HostChecks(_folder[""]).Run().Select(finding => finding.Name), Does.Not.Contain("processor quota"));
    }

    [Test]
    public void A_system_without_such_files_is_described_by_the_rest() =>
        Assert.That(
            new HostChecks(_folder["nothing"]).Run().Select(finding => finding.Name),
            Does.Contain("memory").And.Not.Contain("system calls"));

    [Test]
    public void Fallbacks_are_explained_by_their_reasons()
    {
        using var log = new DeviceLog();
        Log(log, DeviceLog.Buffered, "EINVAL");
        Assert.That(DeviceChecks.DeviceOf("portable", "EPERM").Advice, Does.Contain("EPERM").And.Contain("seccomp"));
        Assert.That(DeviceChecks.DeviceOf("uring", null).Advice, Is.Null);
        Assert.That(DeviceChecks.DirectReads(log).Advice, Does.Contain("EINVAL"));
    }

    [Test]
    public void Slow_reads_are_named_but_not_those_of_the_page_cache()
    {
        double[] slow = [.. Enumerable.Range(1, 100).Select(read => 100.0 * read)];
        Finding finding = DeviceChecks.Latency(slow, isDirect: true);
        Assert.That(finding.Value, Does.Contain("median 5000 us").And.Contain("percentile 9900 us"));
        Assert.That(finding.Advice, Does.Contain("SSD"));
        Assert.That(DeviceChecks.Latency(slow, isDirect: false).Advice, Is.Null);
        Assert.That(DeviceChecks.Latency([80], isDirect: true).Advice, Is.Null);
    }

    private static void Log(DeviceLog log, int eventId, string reason)
    {
        KeyValuePair<string, object?>[] state = [new("Path", "x"), new("Reason", reason)];
        log.Log(LogLevel.Information, new EventId(eventId), state, null, static (_, _) => "");
    }

    private void Write(string path, string content)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(_folder[path])!);
        File.WriteAllText(_folder[path], content);
    }

    private void AssertFinding(string name, string found, string? advice)
    {
        Finding finding = new HostChecks(_folder[""]).Run().Single(finding => finding.Name == name);
        Assert.That(finding.Value, Does.Contain(found));
        Assert.That(finding.Advice, advice is null ? Is.Null : Does.Contain(advice));
    }
}
