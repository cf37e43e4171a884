using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Errors;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Faults;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Devices;

/// <summary>Blocking reads of a file of a device.</summary>
internal sealed class DeviceFileReaderTests
{
    private const int Block = 4096;
    private const int Length = (100 * Block) + 1000;

    [TestCase(DeviceKind.Auto)]
    [TestCase(DeviceKind.Portable)]
    [TestCase(DeviceKind.Memory)]
    public void A_file_is_read_to_its_end(DeviceKind kind)
    {
        using PatternFile file = new(Length);
        using IDevice device = Open(file, kind);
        using DeviceFileReader reader = new(device, 0);
        byte[] bytes = new byte[128 * Block];
        int total = 0;
        for (int read; (read = reader.Read(bytes.AsSpan(total), total)) > 0;)
            total += read;
        Assert.That((total, reader.Length), Is.EqualTo((Length, (long)Length)));
        TestBytes.AssertEqual(bytes[..Length], PatternFile.Bytes(Length), $"{kind}");
    }

    [Test]
    public void Threads_may_take_turns()
    {
        using PatternFile file = new(Length);
        using IDevice device = Open(file, DeviceKind.Auto);
        using DeviceFileReader reader = new(device, 0);
        for (int turn = 0; turn < 6; turn++)
        {
            byte[] bytes = new byte[Block];
            int at = turn * Block;
            int read = 0;
            var other = new Thread(() => read = reader.Read(bytes, at));
            other.Start();
            other.Join();
            Assert.That(read, Is.EqualTo(Block));
            TestBytes.AssertEqual(bytes, PatternFile.Bytes(at + Block)[at..], $"turn {turn}");
            Assert.That(reader.Read(bytes, 0), Is.EqualTo(Block));
        }
    }

    [Test]
    public void A_read_that_fails_is_an_error_with_its_number_and_the_next_one_works()
    {
        using PatternFile file = new(Length);
        using var device = new FaultDevice(Open(file, DeviceKind.Portable))
        {
            Plan = new FaultPlan { OnRead = (number, _) => number == 0 ? new Fault(FaultKind.Errno, Errno.EIO) : default },
        };
        using DeviceFileReader reader = new(device, 0);
        byte[] bytes = new byte[Block];
        Assert.That(
            () => reader.Read(bytes, Block),
            Throws.TypeOf<DeviceException>().With.Property(nameof(DeviceException.ErrorNumber)).EqualTo(Errno.EIO));
        Assert.That(reader.Read(bytes, Block), Is.EqualTo(Block));
    }

    [Test]
    public void A_read_that_never_comes_back_is_an_error_and_its_buffer_is_not_used_again()
    {
        using PatternFile file = new(Length);
        using var device = new FaultDevice(Open(file, DeviceKind.Portable))
        {
            Plan = new FaultPlan { OnRead = (number, _) => number == 0 ? new Fault(FaultKind.Lost) : default },
        };
        using DeviceFileReader reader = new(device, 0, TimeSpan.FromSeconds(1));
        byte[] bytes = new byte[Block];
        Assert.That(() => reader.Read(bytes, 0), Throws.TypeOf<DeviceException>().With.Message.Contains("4096 bytes at 0 within 1 s"));
        bool isUsable = true;
        try
        {
            isUsable = reader.Read(bytes, 0) == Block;
        }
        catch (DeviceException e) when (e.Message.Contains("its buffer still in use", StringComparison.Ordinal))
        {
            isUsable = false;
        }

        Assert.That(device.Queues, Has.Count.EqualTo(isUsable ? 2 : 1));
        Assert.That(device.Queues[0].BuffersMayBeWritten, Is.EqualTo(!isUsable));
    }

    [Test]
    public void Disposal_closes_the_queue_and_leaves_the_device()
    {
        using PatternFile file = new(Length);
        using IDevice device = Open(file, DeviceKind.Auto);
        DeviceFileReader reader = new(device, 0);
        Assert.That(reader.Read(new byte[Block], 0), Is.EqualTo(Block));
        Assert.That(device.Dispose, Throws.InvalidOperationException);
        reader.Dispose();
        Assert.That(reader.Dispose, Throws.Nothing);
        Assert.That(() => reader.Read(new byte[Block], 0), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(device.Dispose, Throws.Nothing);
    }

    private static IDevice Open(PatternFile file, DeviceKind kind) =>
        DeviceFactory.Open([file.Path], new DeviceOptions { Kind = kind }, NullLogger.Instance);
}
