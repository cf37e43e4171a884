using System.Globalization;
using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices.Choosing;
using VectorPipe.Devices.Native;
using VectorPipe.Devices;
using VectorPipe.Devices.Opening;
using VectorPipe.Model.Errors;

namespace VectorPipe.Tests.Devices;

[Platform("Linux")]
[Alone]
public sealed class DeviceFileTests
{
    [Test]
    public void A_direct_file_really_bypasses_the_page_cache()
    {
        using PatternFile pattern = new(8192);
        using DeviceFile file = DeviceFile.Open(pattern.Path, NullLogger.Instance);
        if (!file.IsDirect)
            Assert.Ignore("The file system of the test folder has no direct access.");
        Assert.That(FlagsOf(file) & Libc.O_DIRECT, Is.EqualTo(Libc.O_DIRECT));
        Assert.That(FlagsOf(file) & Libc.O_CLOEXEC, Is.EqualTo(Libc.O_CLOEXEC));
        Assert.That(file.Alignment, Is.AnyOf(512, 1024, 2048, 4096));
    }

    [Test]
    public void A_file_without_direct_access_is_read_buffered_with_a_warning()
    {
        RecordingLogger logger = new();
        using DeviceFile file = DeviceFile.Open("/proc/self/status", logger);
        Assert.That(file.IsDirect, Is.False);
        Assert.That(file.Alignment, Is.EqualTo(1));
        Assert.That(logger.Messages, Has.One.Contains("buffered").And.Contains("/proc/self/status"));
    }

    [TestCase(TestDevice.Auto)]
    [TestCase(TestDevice.Uring)]
    [TestCase(TestDevice.Portable)]
    [TestCase(TestDevice.Memory)]
    public void A_missing_file_is_named(TestDevice kind) => Assert.That(
        () => DeviceFactory.Open(["/nowhere/at all.bin"], kind.Options(), NullLogger.Instance),
        Throws.TypeOf<DeviceException>().With.Message.Contains("/nowhere/at all.bin"));

    [TestCase(TestDevice.Auto)]
    [TestCase(TestDevice.Portable)]
    public void A_directory_is_refused(TestDevice kind) => Assert.That(
        () => DeviceFactory.Open(["/proc/self"], kind.Options(), NullLogger.Instance), Throws.TypeOf<DeviceException>());

    [TestCase(TestDevice.Uring)]
    [TestCase(TestDevice.Portable)]
    public void A_bad_address_is_handed_back_as_its_errno(TestDevice kind)
    {
        using PatternFile pattern = new(8192);
        using IDevice device = DeviceTestSource.Open(pattern.Path, kind);
        using IDeviceQueue queue = device.OpenQueue(new DeviceQueueOptions { Capacity = 1 });
        TestRead read = new(0) { Address = 4096, Length = 4096 };
        Assert.That(queue.TryEnqueue(read), Is.True);
        Assert.That(queue.Reap(new DeviceRead[1], 1, QueueHarness.Patience), Is.EqualTo(1));
        Assert.That(read.Result, Is.EqualTo(-Errno.EFAULT));
        Assert.That(queue.IsFaulted, Is.False);
    }

    [TestCase(TestDevice.Uring, 200)]
    [TestCase(TestDevice.Portable, 200)]
    [TestCase(TestDevice.Memory, 200)]
    [TestCase(TestDevice.MemoryRing, 200)]
    [TestCase(TestDevice.Uring, 400, Category = "Heavy")]
    [TestCase(TestDevice.Portable, 400, Category = "Heavy")]
    [TestCase(TestDevice.Memory, 400, Category = "Heavy")]
    [TestCase(TestDevice.MemoryRing, 400, Category = "Heavy")]
    public void Opening_and_closing_hundreds_of_times_leaves_nothing_behind(TestDevice kind, int rounds)
    {
        using PatternFile pattern = new(8192);
        OpenAndClose(20);
        int files = Directory.GetFiles("/proc/self/fd").Length;
        int maps = File.ReadAllLines("/proc/self/maps").Length;
        OpenAndClose(rounds);
        Assert.That(Directory.GetFiles("/proc/self/fd"), Has.Length.LessThan(files + 20));
        Assert.That(File.ReadAllLines("/proc/self/maps"), Has.Length.LessThan(maps + (rounds / 2)));

        void OpenAndClose(int times)
        {
            for (int i = 0; i < times; i++)
            {
                using IDevice device = DeviceTestSource.Open(pattern.Path, kind);
                using QueueHarness harness = new(device, 1);
                harness.Enqueue(0, 0, 4096);
                harness.ReapAll();
            }
        }
    }

    [Test]
    public void Blocks_larger_than_a_page_are_read_through_the_page_cache()
    {
        Assert.That(LinuxOpening.WhyNotDirect(512), Is.Null);
        Assert.That(LinuxOpening.WhyNotDirect(4096), Is.Null);
        Assert.That(LinuxOpening.WhyNotDirect(8192), Does.Contain("8192"));
        Assert.That(LinuxOpening.WhyNotDirect(0), Is.Not.Null);
    }

    private static int FlagsOf(DeviceFile file)
    {
        string line = File.ReadLines($"/proc/self/fdinfo/{file.Descriptor.ToString(CultureInfo.InvariantCulture)}")
            .Single(l => l.StartsWith("flags:", StringComparison.Ordinal));
        return Convert.ToInt32(line["flags:".Length..].Trim(), 8);
    }
}
