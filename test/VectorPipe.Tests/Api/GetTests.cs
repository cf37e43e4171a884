using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Model.Open;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Nodes;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Api;

/// <summary>The whole path of a look-up: build, open, get every vector.</summary>
[TestFixture]
internal sealed class GetTests
{
    private const int Count = 700;

    private static readonly ulong[] _keys =
        [0, ulong.MaxValue, .. Enumerable.Range(2, Count - 2).Select(i => (ulong)i * 0x9E37_79B9_7F4A_7C15)];

    [Test]
    [Spread(2)]
    public async Task Get_returns_the_vector_that_was_built([Values] VectorElementType type, [Values] DistanceMetric metric)
    {
        const int count = 300;
        using TestIndex test = TestIndex.Build(metric, type, count, keys: _keys[..count]);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        for (int row = 0; row < count; row++)
        {
            VectorRecord? record = await index.GetAsync(_keys[row]);
            Assert.That(record, Is.Not.Null, $"key {_keys[row]}");
            if (!record.Bytes.Span.SequenceEqual(test.Rows.AsSpan(row * test.RowBytes, test.RowBytes)) || record.Key != _keys[row])
                Assert.Fail($"Key {_keys[row]} has another vector than row {row}.");
        }

        Assert.That(GetAll(test, index).AsSpan().SequenceEqual(test.Rows), Is.True, "a session reads the same");
    }

    [Test]
    public void Every_device_gives_the_same_vectors([Values] TestDevice device)
    {
        using TestIndex test = TestIndex.Build(count: Count, keys: _keys);
        using VectorIndex index = test.OpenOrIgnore(device);
        Assert.That(GetAll(test, index).AsSpan().SequenceEqual(test.Rows), Is.True);
    }

    [Test]
    public void Vectors_larger_than_a_page_are_read_whole()
    {
        // Training the rotation of such codes takes most of a build.
        using TestIndex test =
            TestIndex.Build(type: VectorElementType.Float32, count: 50, dimension: 1536, keys: _keys[..50], code: CodeKind.Pq);
        using VectorIndex index = test.Open();
        Assert.That(GetAll(test, index).AsSpan().SequenceEqual(test.Rows), Is.True);
    }

    [Test]
    public async Task A_missing_key_is_null_and_no_error()
    {
        using TestIndex test = TestIndex.Build(count: Count, keys: [.. Enumerable.Range(0, Count).Select(i => (ulong)i + 1)]);
        using VectorIndex index = test.Open();
        Assert.That(await index.GetAsync(0), Is.Null);
        Assert.That(await index.GetAsync(ulong.MaxValue), Is.Null);

        // A session belongs to one thread: nothing is awaited while it is open.
        using SearchSession session = index.OpenSession();
        byte[] vectors = new byte[3 * test.Dimension];
        vectors.AsSpan().Fill(9);
        bool[] found = new bool[3];
        int hits = session.TryGetMany<byte>([0, 5, ulong.MaxValue], vectors, found);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(session.TryGet<byte>(Count + 1, vectors.AsSpan(0, test.Dimension)), Is.False);
            Assert.That((hits, found), Is.EqualTo((1, new[] { false, true, false })));
            Assert.That(
                vectors.AsSpan(test.Dimension, test.Dimension).SequenceEqual(test.Rows.AsSpan(4 * test.RowBytes, test.RowBytes)), Is.True);
            Assert.That(vectors.AsSpan(2 * test.Dimension).IndexOfAnyExcept((byte)0), Is.Negative, "rows of missing keys are cleared");
        }
    }

    [Test]
    public void A_look_up_costs_two_reads_or_one_if_the_page_is_cached()
    {
        using TestIndex test = TestIndex.Build(count: Count, keys: _keys);
        foreach ((long cacheBytes, int reads) in new[] { (0L, 2), (1L << 30, 1) })
        {
            using VectorIndex index = VectorIndex.Open(test.Directory, new OpenOptions { CacheBytes = cacheBytes });
            using SearchSession session = index.OpenSession();
            Assert.That(session.TryGetMany<byte>(_keys, new byte[test.Rows.Length], new bool[Count]), Is.EqualTo(Count));
            Assert.That(session.DeviceReads, Is.EqualTo(Count * reads));
        }
    }

    [Test]
    public void Many_look_ups_are_in_flight_at_once()
    {
        using TestIndex test = TestIndex.Build(count: Count, keys: _keys);
        using VectorIndex index = test.OpenOrIgnore(TestDevice.Uring);
        using SearchSession session = index.OpenSession();
        session.TryGetMany<byte>(_keys, new byte[test.Rows.Length], new bool[Count]);
        Assert.That(session.SystemCalls, Is.LessThan(session.DeviceReads / 3), "one at a time would need a call a read");
    }

    [Test]
    [Spread(2)]
    public async Task Links_are_returned_on_request_and_name_nodes([Values] IndexLayout layout)
    {
        using TestIndex test = TestIndex.Build(count: Count, keys: _keys, layout: layout);
        using VectorIndex index = test.Open();
        var nodes = new HashSet<long>();
        long links = 0;
        foreach (ulong key in _keys)
        {
            VectorRecord? with = await index.GetAsync(key, withLinks: true);
            VectorRecord? without = await index.GetAsync(key);
            nodes.Add(with!.NodeId);
            Assert.That(
                with.Links.Length, layout == IndexLayout.Plain ? Is.InRange(1, 24) : Is.LessThan(NodeLayout.MaxLinks),
                "every node but a lone one has links");
            links += with.Links.Length;
            Assert.That(with.Links.ToArray().Distinct().Count(link => link < Count), Is.EqualTo(with.Links.Length), "distinct nodes");
            Assert.That((without!.Links.Length, without.NodeId), Is.EqualTo((0, with.NodeId)));
        }

        Assert.That(links, Is.GreaterThan(Count));
        Assert.That(nodes, Has.Count.EqualTo(Count), "every key has a node of its own");
    }

    [Test]
    public async Task Another_type_or_dimension_is_refused()
    {
        using TestIndex test = TestIndex.Build(count: Count, keys: _keys);
        using VectorIndex index = test.Open();
        VectorRecord? record = await index.GetAsync(_keys[0]);
        using SearchSession session = index.OpenSession();
        using (Assert.EnterMultipleScope())
        {
            Assert.That(record!.GetVector<byte>().Length, Is.EqualTo(test.Dimension));
            Assert.That(() => record.GetVector<float>().Length, Throws.InstanceOf<InvalidVectorException>().With.Message.Contains("UInt8"));
            Assert.That(
                () => session.TryGet<float>(1, new float[32]), Throws.InstanceOf<InvalidVectorException>().With.Message.Contains("UInt8"));
            Assert.That(
                () => session.TryGet<byte>(1, new byte[31]), Throws.InstanceOf<InvalidVectorException>().With.Message.Contains("32"));
            Assert.That(() => session.TryGetMany<byte>([1, 2], new byte[32], new bool[2]), Throws.InstanceOf<InvalidVectorException>());
            Assert.That(() => session.TryGetMany<byte>([1, 2], new byte[64], new bool[1]), Throws.InstanceOf<ArgumentException>());
            Assert.That(session.TryGetMany<byte>([], [], []), Is.Zero);
        }
    }

    [Test]
    [Spread(3)]
    public async Task Gets_and_searches_from_many_threads_do_not_disturb_each_other([Values(null, 1, 2)] int? queueDepth)
    {
        // A queue of one read makes look-ups and queries wait for each other: neither may starve.
        using TestIndex test = TestIndex.Build(count: Count, keys: _keys);
        var device = new DeviceOptions { Kind = queueDepth is null ? DeviceKind.Auto : DeviceKind.Memory, QueueDepth = queueDepth };
        await using VectorIndex index =
            VectorIndex.Open(test.Directory, new OpenOptions { SearchThreads = 2, QueriesInFlight = 3, Device = device });
        int wrong = 0;
        await Parallel.ForAsync(0, 3000, new ParallelOptions { MaxDegreeOfParallelism = 16 }, async (i, token) =>
        {
            int row = i % Count;
            ReadOnlyMemory<byte> expected = test.Rows.AsMemory(row * test.RowBytes, test.RowBytes);
            if (i % 3 == 0)
            {
                SearchResult result =
                    await index.SearchAsync(expected, 1, new SearchOptions { Graph = new GraphSearch { ListSize = 60 } }, token);
                if (result[0].Score > 0)
                    Interlocked.Increment(ref wrong);
            }
            else
            {
                VectorRecord? record = await index.GetAsync(_keys[row], i % 2 == 0, token);
                if (record is not { } found || !found.Bytes.Span.SequenceEqual(expected.Span))
                    Interlocked.Increment(ref wrong);
            }
        });
        Assert.That(wrong, Is.Zero);
    }

    [Test]
    public async Task Disposal_lets_accepted_gets_finish_and_refuses_new_ones()
    {
        using TestIndex test = TestIndex.Build(count: Count, keys: _keys);
        VectorIndex index = test.Open(DeviceKind.Portable);
        Task<VectorRecord?>[] pending = [.. _keys.Select(key => index.GetAsync(key).AsTask())];
        index.Dispose();
        VectorRecord?[] records = await Task.WhenAll(pending);
        Assert.That(records, Has.None.Null);
        Assert.That(async () => await index.GetAsync(0), Throws.InstanceOf<ObjectDisposedException>());
    }

    [Test]
    public async Task A_cancelled_get_ends_with_its_token_and_others_go_on()
    {
        using TestIndex test = TestIndex.Build(count: Count, keys: _keys);
        using VectorIndex index = test.Open();
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        Assert.That(
            async () => await index.GetAsync(_keys[0], cancellationToken: cancelled.Token),
            Throws.InstanceOf<OperationCanceledException>().With.Property(nameof(OperationCanceledException.CancellationToken))
            .EqualTo(cancelled.Token));
        VectorRecord? record = await index.GetAsync(_keys[0]);
        Assert.That(record, Is.Not.Null);
    }

    [Test]
    public void An_index_reports_its_key_directory()
    {
        using TestIndex test =
            TestIndex.Build(count: Count, keys: _keys, keyDirectory: new KeyDirectoryOptions { Buckets = 1, EntriesPerPage = 100 });
        IndexInfo info = VectorIndex.Inspect(test.Directory);
        Assert.That(
            (info.KeyBuckets, info.LongestKeyChain, info.Files.Single(file => file.Role == "Keys").PageCount), Is.EqualTo((1L, 7, 8L)));
    }

    private static byte[] GetAll(TestIndex test, VectorIndex index)
    {
        byte[] vectors = new byte[test.Rows.Length];
        bool[] found = new bool[test.Count];
        ulong[] keys = test.Keys;
        using SearchSession session = index.OpenSession();
        int hits = test.Type switch
        {
            VectorElementType.Float32 => session.TryGetMany<float>(keys, MemoryMarshal.Cast<byte, float>(vectors.AsSpan()), found),
            VectorElementType.Float16 => session.TryGetMany<Half>(keys, MemoryMarshal.Cast<byte, Half>(vectors.AsSpan()), found),
            VectorElementType.UInt8 => session.TryGetMany<byte>(keys, vectors, found),
            _ => session.TryGetMany<sbyte>(keys, MemoryMarshal.Cast<byte, sbyte>(vectors.AsSpan()), found),
        };
        Assert.That(hits, Is.EqualTo(keys.Length));
        Assert.That(found, Is.All.True);
        return vectors;
    }
}
