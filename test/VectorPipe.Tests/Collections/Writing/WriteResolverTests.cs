using NUnit.Framework;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Waiting;
using VectorPipe.Collections.Writing;
using VectorPipe.Model.Errors;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults;

namespace VectorPipe.Tests.Collections.Writing;

/// <summary>The writer finds out what its writes replace with a device queue of its own, and takes another one when it fails.</summary>
[TestFixture]
internal sealed class WriteResolverTests
{
    private const int Count = 300;

    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: Count);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void A_queue_that_breaks_is_replaced_and_no_write_fails([Values(0, 1, 2)] int reap)
    {
        using var writer = new Resolving(_test);
        writer.Device.Plan = new FaultPlan { Breaks = k => k == reap };
        Assert.That(writer.Resolve(0, 7, Count, Count + 7), Is.EqualTo(new bool?[] { true, true, false, false }));
        Assert.That(writer.Device.Queues.Count - writer.Before, Is.EqualTo(2));
        Assert.That(writer.Resolve(8, Count + 8), Is.EqualTo(new bool?[] { true, false }), "the next group asks the new queue");
        Assert.That(writer.Device.Queues.Count - writer.Before, Is.EqualTo(2));
    }

    [Test]
    public void A_device_that_stays_broken_fails_the_writes_and_not_the_next_ones()
    {
        using var writer = new Resolving(_test);
        writer.Device.Plan = new FaultPlan { Breaks = static _ => true };
        Assert.That(writer.Resolve(0, Count), Is.EqualTo(new bool?[] { null, null }));
        Assert.That(writer.Errors, Has.Count.EqualTo(2).And.All.TypeOf<DeviceException>());
        writer.Device.Plan = new FaultPlan { OnOpen = static () => throw new DeviceException("made to fail", Errno.ENXIO) };
        Assert.That(writer.Resolve(1), Is.EqualTo(new bool?[] { null }), "no queue can be opened");
        Assert.That(writer.Errors[^1], Is.TypeOf<DeviceException>());
        writer.Device.Plan = new FaultPlan();
        Assert.That(writer.Resolve(1, Count + 1), Is.EqualTo(new bool?[] { true, false }));
    }

    [Test]
    public void A_queue_that_breaks_and_cannot_be_closed_fails_no_write()
    {
        using var writer = new Resolving(_test);
        writer.Device.Plan = new FaultPlan
        {
            Breaks = static k => k == 0,
            OnClose = static () => throw new DeviceException("made to fail", Errno.EIO),
        };
        Assert.That(writer.Resolve(0, Count), Is.EqualTo(new bool?[] { true, false }));
        writer.Device.Plan = new FaultPlan();
    }

    /// <summary>A resolver over an index whose device fails by a plan.</summary>
    private sealed class Resolving : IDisposable
    {
        private readonly VectorIndex _index;
        private readonly WriteResolver _resolver;

        public Resolving(TestIndex test)
        {
            FaultDevice device = null!;
            _index = VectorIndex.Open(test.Directory, new OpenOptions { ReadCostUs = 10 }, (paths, _, _) => device =
                new FaultDevice(new SimulatedDevice(paths, seed: 1)));
            Device = device;
            Before = device.Queues.Count;
            var state = new CollectionState();
            var generation = new CollectionGeneration(1, _index, null, static _ => { });
            var waiting = new WaitingSet(DistanceMetric.L2, VectorElementType.UInt8, test.RowBytes);
            state.Publish(new CollectionView(state, generation, generation.Latest, waiting));
            _resolver = new WriteResolver(state);
        }

        public FaultDevice Device { get; }

        public int Before { get; }

        public List<Exception> Errors { get; } = [];

        /// <summary>Whether each upsert of a key replaces a record; null if it failed.</summary>
        public bool?[] Resolve(params int[] keys)
        {
            WriteRequest[] all =
                [.. keys.Select(key => new WriteRequest([new WriteOperation(WriteKind.Upsert, (ulong)key, [], [1], [])]))];
            List<WriteRequest> requests = [.. all];
            _resolver.Prepare(requests);
            foreach (WriteRequest request in requests)
                Assert.That(_resolver.Resolve(request.Writes[0]));
            Errors.AddRange(all.Where(request => request.Task.IsFaulted).Select(request => request.Task.Exception!.InnerException!));
            return [.. all.Select(request => requests.Contains(request) ? request.Writes[0].Replaces : (bool?)null)];
        }

        public void Dispose()
        {
            _resolver.Dispose();
            _index.Dispose();
        }
    }
}
