using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Storage;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults;

/// <summary>Look-ups in an index whose keys are its row numbers, by the session or, one by one, by the index's own run thread.</summary>
internal sealed class GetUnderTest : SessionUnderTest<KeyRange>
{
    private const int MaxTries = 1000;

    private readonly bool _isAsync;
    private readonly byte[] _vectors;
    private readonly bool[] _found;

    public GetUnderTest(TestIndex test, int seed, bool isAsync = false, Func<IReadOnlyList<string>, IDevice>? openDisk = null, OpenOptions? options = null)
        : base(test, seed, openDisk, options)
    {
        _isAsync = isAsync;
        _vectors = new byte[test.Rows.Length];
        _found = new bool[test.Count];
    }

    /// <summary>An index whose keys lie in four chains of nine pages or so.</summary>
    public static TestIndex Build() =>
        TestIndex.Build(count: 400, dimension: 16, keyDirectory: new KeyDirectoryOptions { Seed = 1, Buckets = 4, EntriesPerPage = 12 });

    /// <summary>Single keys all over the index; every tenth is missing.</summary>
    public static IEnumerable<KeyRange> Singles(int count) =>
        Enumerable.Range(0, count).Select(i => new KeyRange(i % 10 == 9 ? 1000 + i : i * 7 % 400, 1));

    /// <summary>Batches that need more reads at once than a session has, with missing keys among the last.</summary>
    public static IEnumerable<KeyRange> Batches(int count) => Enumerable.Range(0, count).Select(i => new KeyRange(380 - (i * 45), 40));

    public override IReadOnlyList<IRequestProbe> Probe(KeyRange request)
    {
        List<IRequestProbe> probes = [];
        for (int i = 0; i < request.Count; i++)
        {
            LookupRequestProbe probe = new() { Expected = request.First + i < Test.Count ? Row(request.First + i).ToArray() : null };
            probe.Ask((ulong)(request.First + i), withLinks: false, Stopwatch.GetTimestamp(), default);
            probes.Add(probe);
        }

        return probes;
    }

    public override void AssertIdle(string name)
    {
        base.AssertIdle(name);
        if (!_isAsync)
            return;

        // The run thread reaps what was ended when it next has something to do.
        FaultQueue queue = Device.Queues[^1];
        for (int i = 0; i < MaxTries && queue.InFlight > 0; i++)
            Ask(name, new KeyRange(0, 1), default);
        if (queue.InFlight > 0)
            Assert.Fail($"{name}: {queue.InFlight} reads of the run thread are still in flight");
    }

    protected override void Ask(string name, KeyRange request, CancellationToken cancellationToken)
    {
        if (_isAsync)
        {
            AskIndex(name, request, cancellationToken);
            return;
        }

        Span<byte> vectors = _vectors.AsSpan(0, request.Count * Test.RowBytes);
        Span<bool> found = _found.AsSpan(0, request.Count);
        vectors.Fill(FaultQueue.Poison);
        found.Clear();
        if (request.Count == 1)
        {
            found[0] = Session.TryGet((ulong)request.First, vectors, cancellationToken);
        }
        else
        {
            ulong[] keys = [.. Enumerable.Range(request.First, request.Count).Select(key => (ulong)key)];
            int count = Session.TryGetMany(keys, vectors, found, cancellationToken);
            if (count != found.Count(true))
                Assert.Fail($"{name}: {count} keys counted, {found.Count(true)} marked");
        }

        for (int i = 0; i < request.Count; i++)
        {
            int row = request.First + i;
            ReadOnlySpan<byte> vector = vectors.Slice(i * Test.RowBytes, Test.RowBytes);
            bool isRight = row < Test.Count ? found[i] && vector.SequenceEqual(Row(row)) : !found[i] && vector.IndexOfAnyExcept((byte)0) < 0;
            if (!isRight)
                Assert.Fail($"{name}: key {row} was {(found[i] ? "found with" : "not found, and left")} {Convert.ToHexString(vector)}");
        }
    }

    private void AskIndex(string name, KeyRange request, CancellationToken cancellationToken)
    {
        using VectorRecord? record = Index.GetAsync((ulong)request.First, withLinks: false, cancellationToken).AsTask().GetAwaiter().GetResult();
        bool isRight = request.First < Test.Count ? record is { } found && found.Bytes.SequenceEqual(Row(request.First)) : record is null;
        if (!isRight)
            Assert.Fail($"{name}: key {request.First} was {(record is null ? "not found" : "found with another vector")}");
    }

    private ReadOnlySpan<byte> Row(int row) => Test.Rows.AsSpan(row * Test.RowBytes, Test.RowBytes);
}
