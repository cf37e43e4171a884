using System.Diagnostics;
using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Storage.Keys;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Faults.Gets;

/// <summary>Look-ups of row numbers by a session, or by the index's run thread.</summary>
/// <remarks>The run thread looks keys up one by one, with links.</remarks>
internal sealed class GetUnderTest : SessionUnderTest<KeyRange>
{
    private const int MaxTries = 1000;

    private readonly bool _isAsync;
    private readonly byte[] _vectors;
    private readonly bool[] _found;
    private readonly Dictionary<KeyRange, uint[]> _links = [];

    public GetUnderTest(
        TestIndex test, int seed, bool isAsync = false, Func<IReadOnlyList<string>, IDevice>? openDisk = null, OpenOptions? options = null)
        : base(test, seed, openDisk, options)
    {
        _isAsync = isAsync;
        _vectors = new byte[test.Rows.Length];
        _found = new bool[test.Count];
    }

    /// <summary>An index of 400 vectors; the keys of a <see cref="GetKind.Graph"/> lie in four chains of nine pages.</summary>
    public static TestIndex Build(GetKind kind = GetKind.Graph)
    {
        TestIndex test = kind switch
        {
            GetKind.Graph =>
                TestIndex.Build(
                    count: 400, dimension: 16, keyDirectory: new KeyDirectoryOptions { Seed = 1, Buckets = 4, EntriesPerPage = 12 }),
            GetKind.Rounded => TestIndex.Build(type: VectorElementType.Float32, count: 400, dimension: 128),
            _ => TestIndex.BuildLists(count: 400, dimension: 16, lists: 20),
        };
        bool hasVectorsFile = Directory.GetFiles(test.Directory, "vectors-*.vp").Length > 0;
        Assert.That(hasVectorsFile, Is.EqualTo(kind == GetKind.Rounded), "whether a file of its own holds the original vectors");
        if (kind == GetKind.Rounded)
            AssertHasLinks(test);
        return test;
    }

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
            probe.Lookup.Ask((ulong)(request.First + i), withLinks: _isAsync, Stopwatch.GetTimestamp(), default);
            probes.Add(probe);
        }

        return probes;
    }

    public override void AssertIdle(string name)
    {
        base.AssertIdle(name);
        if (!_isAsync)
            return;

        // The run thread reaps ended reads at its next request.
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
            found[0] = TryGet((ulong)request.First, vectors, cancellationToken);
        }
        else
        {
            ulong[] keys = [.. Enumerable.Range(request.First, request.Count).Select(key => (ulong)key)];
            int count = TryGetMany(keys, vectors, found, cancellationToken);
            if (count != found.Count(true))
                Assert.Fail($"{name}: {count} keys counted, {found.Count(true)} marked");
        }

        for (int i = 0; i < request.Count; i++)
        {
            int row = request.First + i;
            ReadOnlySpan<byte> vector = vectors.Slice(i * Test.RowBytes, Test.RowBytes);
            bool isRight = row < Test.Count
                ? found[i] && vector.SequenceEqual(Row(row))
                : !found[i] && vector.IndexOfAnyExcept((byte)0) < 0;
            if (!isRight)
                Assert.Fail($"{name}: key {row} was {(found[i] ? "found with" : "not found, and left")} {Convert.ToHexString(vector)}");
        }
    }

    private void AskIndex(string name, KeyRange request, CancellationToken cancellationToken)
    {
        VectorRecord? record = Index.GetAsync((ulong)request.First, withLinks: true, cancellationToken).AsTask().GetAwaiter().GetResult();
        bool isRight = request.First < Test.Count
            ? record is { } found && found.Bytes.Span.SequenceEqual(Row(request.First))
            : record is null;
        if (!isRight)
            Assert.Fail($"{name}: key {request.First} was {(record is null ? "not found" : "found with another vector")}");
        if (record is { } answer && !answer.Links.SequenceEqual(_links[request]))
            Assert.Fail($"{name}: key {request.First} was found with the links {string.Join(' ', answer.Links.ToArray())}");
    }

    /// <summary>Links must equal those of a look-up without faults.</summary>
    protected override void Learn(KeyRange request)
    {
        if (!_isAsync || _links.ContainsKey(request))
            return;
        Device.Plan = new FaultPlan();
        VectorRecord? record = Index.GetAsync((ulong)request.First, withLinks: true).AsTask().GetAwaiter().GetResult();
        _links[request] = record is { } found ? found.Links.ToArray() : [];
    }

    private bool TryGet(ulong key, Span<byte> vector, CancellationToken cancellationToken) => Test.Type == VectorElementType.Float32
        ? Session.TryGet(key, MemoryMarshal.Cast<byte, float>(vector), cancellationToken)
        : Session.TryGet(key, vector, cancellationToken);

    private int TryGetMany(ulong[] keys, Span<byte> vectors, Span<bool> found, CancellationToken cancellationToken) =>
        Test.Type == VectorElementType.Float32
        ? Session.TryGetMany(keys, MemoryMarshal.Cast<byte, float>(vectors), found, cancellationToken)
        : Session.TryGetMany(keys, vectors, found, cancellationToken);

    /// <summary>Nodes have links only in an index of many pages; without them the campaign tests nothing.</summary>
    private static void AssertHasLinks(TestIndex test)
    {
        using VectorIndex index = test.Open(DeviceKind.Memory);
        int linked = 0;
        for (ulong key = 0; key < (ulong)test.Count; key++)
        {
            VectorRecord? record = index.GetAsync(key, withLinks: true).AsTask().GetAwaiter().GetResult();
            linked += record is { } found && found.Links.Length > 0 ? 1 : 0;
        }

        Assert.That(linked, Is.GreaterThan(test.Count / 2), "nodes with links");
    }

    private ReadOnlySpan<byte> Row(int row) => Test.Rows.AsSpan(row * Test.RowBytes, Test.RowBytes);
}
