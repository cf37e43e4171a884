using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Devices;
using VectorPipe.Tests.Faults.Gets;
using VectorPipe.Tests.Faults.Searches;

namespace VectorPipe.Tests.Faults;

/// <summary>Cancelled requests free their buffers at once, and no device writes into them afterwards.</summary>
/// <remarks>More requests than ops are cancelled, at every step and on every device.</remarks>
[TestFixture(TestDevice.Uring)]
[TestFixture(TestDevice.Portable)]
[TestFixture(TestDevice.Memory)]
[TestFixture(TestDevice.MemoryRing)]
internal sealed class CancellationCanaryTests(TestDevice kind)
{
    private const int Depth = 6;
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = GetUnderTest.Build();

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    [Spread]
    public void A_cancelled_search_leaves_no_write_behind(
        [Values(SearchMode.Pipelined, SearchMode.Beam)] SearchMode mode, [Values(FaultStep.Enqueue, FaultStep.Reap)] FaultStep step)
    {
        SearchCase[] searches = [.. Enumerable.Range(0, 3).Select(query => new SearchCase(query, mode))];
        Assert.That(
            Campaign.CancelAtEveryStep(step, () => new SearchUnderTest(_test, 3, seed: 0, OpenDisk), searches).Cancelled,
            Is.GreaterThan(0));
    }

    [Test]
    [Spread(2)]
    public void A_cancelled_batch_of_look_ups_leaves_no_write_behind([Values(FaultStep.Enqueue, FaultStep.Reap)] FaultStep step)
    {
        KeyRange batch = new(393, 2 * Depth);
        Assert.That(
            Campaign.CancelAtEveryStep(step, () => new GetUnderTest(_test, seed: 0, openDisk: OpenDisk), [batch]).Cancelled,
            Is.GreaterThan(0));
    }

    [Test]
    public void A_write_into_a_returned_buffer_is_detected()
    {
        using CanaryDevice device = new(OpenDisk([_test.NodeFile]));
        QueueHarness harness = new(device, 1);
        harness.Enqueue(0, 0, QueueHarness.BlockSize);
        Assert.That(harness.ReapAll(), Is.EqualTo(1));
        harness.Buffer(0)[17] ^= 1;
        Assert.That(() => harness.Queue.TryEnqueue(harness.Reads[0]), Throws.InvalidOperationException.With.Message.Contains("slot 0"));
        harness.Buffer(0)[17] ^= 1;
        harness.Dispose();
    }

    private CanaryDevice OpenDisk(IReadOnlyList<string> paths)
    {
        bool hasLatency = kind is TestDevice.Memory or TestDevice.MemoryRing;
        DeviceOptions options = kind.Options(new DeviceTuning { LatencyUs = hasLatency ? 20 : null }) with { QueueDepth = Depth };
        try
        {
            return new CanaryDevice(DeviceFactory.Open(paths, options.Validated(), NullLogger.Instance));
        }
        catch (DeviceException e) when (kind == TestDevice.Uring)
        {
            Assert.Ignore($"io_uring is not available here: {e.Message}");
            throw;
        }
    }
}
