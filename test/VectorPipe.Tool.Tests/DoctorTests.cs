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
