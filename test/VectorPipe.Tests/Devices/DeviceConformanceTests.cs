using NUnit.Framework;
using VectorPipe.Conformance;
using VectorPipe.Devices;

namespace VectorPipe.Tests.Devices;

/// <summary>The promises of every device.</summary>
[TestFixtureSource(typeof(DeviceUnderTest), nameof(DeviceUnderTest.All))]
[Alone]
internal sealed partial class DeviceConformanceTests(DeviceUnderTest underTest)
{
    private const int Block = QueueHarness.BlockSize;
    private const int FileLength = (1 << 20) + 1000;
    private PatternFile _file = null!;
    private IDevice _device = null!;

    [OneTimeSetUp]
    public void CreateFile() => _file = new PatternFile(FileLength);

    [OneTimeTearDown]
    public void DeleteFile() => _file.Dispose();

    [SetUp]
    public void OpenDevice() => _device = underTest.Open(_file.Path);

    [TearDown]
    public void CloseDevice() => _device?.Dispose();

    [TestCaseSource(typeof(DeviceChecks), nameof(DeviceChecks.Names))]
    public void A_promise_of_devices_is_kept(string check)
    {
        int seed = Environment.TickCount;
        TestContext.Out.WriteLine($"seed {seed}");

        // Not the temporary folder: that may be a memory file system without direct access.
        string folder = TestContext.CurrentContext.WorkDirectory;
        DeviceChecks.Run(
            check,
            new DeviceSubject(folder, paths => underTest.Open([.. paths])) { Seed = seed, Patience = QueueHarness.Patience });
    }

    [Test]
    public void A_read_after_the_end_of_the_file_leaves_its_buffer_as_it_is()
    {
        using QueueHarness harness = new(_device, 1);
        harness.Enqueue(0, ((FileLength / Block) + 1) * Block, Block);
        Assert.That(harness.ReapAll(), Is.EqualTo(1));
        Assert.That(harness.Reads[0].Result, Is.Zero);
        harness.AssertBytes(harness.Reads[0]);
    }

    [Test]
    public void A_refused_read_is_described()
    {
        using QueueHarness harness = new(_device, 1);
        TestRead read = harness.Prepare(0, -Block, Block);
        Assert.That(
            () => harness.Queue.TryEnqueue(read), Throws.ArgumentException.With.Message.Contains($"offset {-Block}, length {Block}"));
        read = harness.Prepare(0, 0, Block);
        read.File = 1;
        Assert.That(
            () => harness.Queue.TryEnqueue(read),
            Throws.ArgumentException.With.Message.Contains("file 1").And.Message.Contains("slot 0"));
    }

    [Test]
    public void The_requested_depth_bounds_a_queue()
    {
        DeviceUnderTest shallow = underTest with { Options = underTest.Options with { QueueDepth = 4 } };
        using IDevice device = shallow.Open(_file.Path);
        using QueueHarness harness = new(device, 64);
        Assert.That(harness.Queue.Capacity, Is.EqualTo(4));
        for (int round = 0; round < 50; round++)
        {
            int accepted = 0;
            while (harness.Queue.TryEnqueue(harness.Prepare(accepted, accepted * Block, Block)))
                accepted++;
            Assert.That(accepted, Is.EqualTo(4));
            Assert.That(harness.ReapAll(), Is.EqualTo(4));
        }

        Assert.That(harness.Queue.Counters.HighWater, Is.EqualTo(4));
    }
}
