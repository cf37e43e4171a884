using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Collections.Waiting;
using VectorPipe.Numerics.Distances;
using VectorPipe.Searching.Pools;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Collections.Waiting;

/// <summary>The writes that wait in memory, as readers at different sequence numbers see them.</summary>
[TestFixture]
public class WaitingSetTests
{
    [Test]
    public void A_write_is_seen_from_its_number_on()
    {
        var set = Set(2);
        set.Add(7, sequence: 3, [1, 1], [], replaces: true);
        Assert.That(set.Hides(7, 2), Is.False);
        Assert.That(set.Hides(7, 3));
        Assert.That(set.Hides(8, 3), Is.False);
        Assert.That((set.Live, set.Replaced, set.Writes), Is.EqualTo((1, 1, 1)));
    }

    [Test]
    public void A_reader_of_an_older_number_sees_what_was_there_then()
    {
        var set = Set(1);
        set.Add(7, 1, [10], [], replaces: false);
        set.Add(7, 2, [20], [], replaces: false);
        set.AddDeletion(7, 3, replaces: false);
        set.Add(7, 4, [40], [], replaces: false);
        Assert.That(Values(set, 0), Is.Empty);
        Assert.That(Values(set, 1), Is.EqualTo(new[] { 10 }));
        Assert.That(Values(set, 2), Is.EqualTo(new[] { 20 }));
        Assert.That(Values(set, 3), Is.Empty);
        Assert.That(Values(set, 4), Is.EqualTo(new[] { 40 }));
        Assert.That(set.TryFind(7, 3, out WaitingRecord deleted) && deleted.IsDeletion);
        Assert.That((set.Live, set.Replaced), Is.EqualTo((1, 0)));
    }

    [Test]
    public void A_handle_that_was_deleted_first_replaces_once()
    {
        var set = Set(1);
        set.AddDeletion(7, 1, replaces: true);
        set.Add(7, 2, [1], [], replaces: false);
        set.AddDeletion(7, 3, replaces: false);
        Assert.That((set.Live, set.Replaced), Is.EqualTo((0, 1)));
    }

    [Test]
    public void A_scan_leaves_out_what_newer_sets_hide()
    {
        WaitingSet old = Set(1), newer = Set(1);
        for (byte i = 0; i < 10; i++)
            old.Add(i, 1, [i], [], replaces: false);
        newer.AddDeletion(3, 2, replaces: true);
        newer.Add(4, 3, [200], [], replaces: true);
        Assert.That(Scan(old, 1, newer), Is.EqualTo(new ulong[] { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }));
        Assert.That(Scan(old, 2, newer), Is.EqualTo(new ulong[] { 0, 1, 2, 4, 5, 6, 7, 8, 9 }));
        Assert.That(Scan(old, 3, newer), Is.EqualTo(new ulong[] { 0, 1, 2, 5, 6, 7, 8, 9 }));
        Assert.That(Scan(newer, 3), Is.EqualTo(new ulong[] { 4 }));
    }

    [TestCase(10_000, 128, 0)]
    [TestCase(10_000, 128, 10)]
    [TestCase(30_000, 96, 0)]
    public void A_write_takes_little_more_than_its_vector_and_its_body(int writes, int vectorBytes, int bodyBytes)
    {
        var set = Set(vectorBytes);
        byte[] vector = new byte[vectorBytes];
        for (int i = 0; i < writes; i++)
            set.Add((ulong)i, i, vector, bodyBytes == 0 ? [] : new byte[bodyBytes], replaces: true);
        long bodies = writes * (bodyBytes == 0 ? 0 : bodyBytes + 24L);

        // Pivots, and cells whose last pieces are not full.
        long room = (160 << 10) + (vectorBytes * VectorCells.Cells * 6L);
        long most = (writes * (vectorBytes + 44L + 32)) + bodies;
        Assert.That(set.Bytes, Is.InRange((writes * (vectorBytes + 44L + 16)) + bodies, most + room), "and some room");
        TestContext.Out.WriteLine($"{(set.Bytes - bodies) / (double)writes - vectorBytes:F1} bytes a write");
    }

    [TestCase(1, 5)]
    [TestCase(300, 3000)]
    [TestCase(32_000, 9)]
    [TestCase(7, (2 * WaitingSet.HeadRows) + 3000)]
    public void Sets_of_any_size_are_scanned_whole(int vectorBytes, int rows)
    {
        var set = Set(vectorBytes);
        byte[] vector = new byte[vectorBytes];
        for (int i = 0; i < rows; i++)
        {
            vector[0] = (byte)(i % 251);
            set.Add((ulong)i, i, vector, [], replaces: false);
        }

        var results = new ResultPool();
        results.Reset(rows);
        QueryDistance exact = QueryDistance.Create(DistanceMetric.L2, VectorElementType.UInt8, vectorBytes);
        exact.SetQuery(new byte[vectorBytes]);
        Assert.That(set.Scan(exact, rows, results, rows, [], isWhole: true), Is.EqualTo(rows));
        results.Sort();
        IEnumerable<ulong> found = Enumerable.Range(0, results.Count).Select(results.Key);
        Assert.That(found.Order(), Is.EqualTo(Enumerable.Range(0, rows).Select(i => (ulong)i)));
    }

    [Test]
    public void Of_a_large_set_the_cells_near_to_a_query_are_scored(
        [Values(DistanceMetric.L2, DistanceMetric.Cosine)] DistanceMetric metric)
    {
        const int Rows = 32 * WaitingSet.HeadRows, K = 3, Queries = 200;
        Random random = RandomizedTest.Start();
        float[][] vectors = Clustered(random, Rows + Queries);
        WaitingSet set = Filled(metric, vectors[..Rows]);
        int found = 0;
        long scored = 0;
        foreach (float[] query in vectors[Rows..])
        {
            ulong[] all = Nearest(set, metric, query, K, isWhole: true, out int every);
            Assert.That(every, Is.EqualTo(Rows));
            found += Nearest(set, metric, query, K, isWhole: false, out int some).Intersect(all).Count();
            scored += some;
        }

        TestContext.Out.WriteLine($"found {found / (double)(K * Queries):P2}, scored {scored / (double)Queries / Rows:P1}");
        Assert.That(found, Is.GreaterThanOrEqualTo(0.995 * K * Queries));
        Assert.That(scored / Queries, Is.LessThan(0.5 * Rows), "the first vectors, pivots, and a fifth of the others");
    }

    [Test]
    public void A_vector_that_waits_finds_itself_and_is_read_back_whatever_cell_it_is_in()
    {
        const int Rows = 4 * WaitingSet.HeadRows;
        float[][] vectors = Clustered(RandomizedTest.Start(), Rows);
        WaitingSet set = Filled(DistanceMetric.L2, vectors);
        for (int row = 0; row < Rows; row += 37)
        {
            Assert.That(Nearest(set, DistanceMetric.L2, vectors[row], 1, isWhole: false, out _), Is.EqualTo(new[] { (ulong)row }));
            Assert.That(set.TryFind((ulong)row, Rows, out WaitingRecord record));
            Assert.That(MemoryMarshal.Cast<byte, float>(record.Vector.Span).ToArray(), Is.EqualTo(vectors[row]));
        }

        Assert.That(set.LiveAt(Rows).Select(record => record.Handle), Is.EqualTo(Enumerable.Range(0, Rows).Select(row => (ulong)row)));
    }

    [Test]
    public void All_vectors_are_scored_for_a_filter_for_many_results_and_by_inner_product()
    {
        const int Rows = 4 * WaitingSet.HeadRows;
        float[][] vectors = Clustered(RandomizedTest.Start(), Rows);
        WaitingSet set = Filled(DistanceMetric.L2, vectors), byProduct = Filled(DistanceMetric.InnerProduct, vectors);
        Nearest(set, DistanceMetric.L2, vectors[0], 1, isWhole: false, out int filtered, static _ => true);
        Nearest(set, DistanceMetric.L2, vectors[0], Rows / 64, isWhole: false, out int many);
        Nearest(byProduct, DistanceMetric.InnerProduct, vectors[0], 1, isWhole: false, out int product);
        Assert.That((filtered, many, product), Is.EqualTo((Rows, Rows, Rows)));
    }

    // The writer replaces records in turn; at every number exactly one record of each handle is live, with the value of that number.
    [TestCase(1)]
    [TestCase(2)]
    public void Readers_beside_the_writer_see_each_handle_once_as_of_their_number(int seed)
    {
        const int Handles = 40, Writes = 20_000;
        var set = Set(sizeof(int));
        long published = 0;
        for (int i = 0; i < Handles; i++)
            set.Add((ulong)i, ++published, BitConverter.GetBytes((int)published), [], replaces: false);
        var writer = new Thread(() =>
        {
            var random = new Random(seed);
            for (int i = 0; i < Writes; i++)
            {
                long next = Volatile.Read(ref published) + 1;
                set.Add((ulong)random.Next(Handles), next, BitConverter.GetBytes((int)next), [], replaces: false);
                Volatile.Write(ref published, next);
            }
        });
        writer.Start();
        bool isLast;
        do
        {
            isLast = !writer.IsAlive;
            long sequence = Volatile.Read(ref published);
            WaitingRecord[] live = [.. set.LiveAt(sequence)];
            Assert.That(live.Select(record => record.Handle), Is.Unique);
            Assert.That(live, Has.Length.EqualTo(Handles));
            Assert.That(live.Max(record => BitConverter.ToInt32(record.Vector.Span)), Is.EqualTo(sequence));
            foreach (WaitingRecord record in live)
            {
                Assert.That(set.TryFind(record.Handle, sequence, out WaitingRecord found));
                Assert.That(found.Vector.Span.SequenceEqual(record.Vector.Span));
            }
        }
        while (!isLast);
        writer.Join();
    }

    private static WaitingSet Set(int dimension) => new(DistanceMetric.L2, VectorElementType.UInt8, dimension);

    private static WaitingSet Filled(DistanceMetric metric, float[][] vectors)
    {
        var set = new WaitingSet(metric, VectorElementType.Float32, vectors[0].Length);
        for (int row = 0; row < vectors.Length; row++)
            set.Add((ulong)row, row, MemoryMarshal.AsBytes(vectors[row].AsSpan()), [], replaces: false);
        return set;
    }

    private static ulong[] Nearest(
        WaitingSet set, DistanceMetric metric, float[] query, int k, bool isWhole, out int scored, Predicate<byte[]>? isWanted = null)
    {
        var results = new ResultPool();
        results.Reset(k);
        QueryDistance exact = QueryDistance.Create(metric, VectorElementType.Float32, query.Length);
        exact.SetQuery(MemoryMarshal.AsBytes(query.AsSpan()));
        scored = set.Scan(exact, long.MaxValue - 1, results, k, [], isWanted, isWhole);
        results.Sort();
        return [.. Enumerable.Range(0, results.Count).Select(results.Key)];
    }

    private static float[][] Clustered(Random random, int count)
    {
        const int Dimension = 24, Centres = 300;
        float[][] centres = [.. Enumerable.Range(0, Centres).Select(_ => Around(new float[Dimension], 1))];
        return [.. Enumerable.Range(0, count).Select(_ => Around(centres[random.Next(Centres)], 0.3f))];

        float[] Around(float[] centre, float width) => [.. centre.Select(x => x + (width * (random.NextSingle() - 0.5f)))];
    }

    private static int[] Values(WaitingSet set, long sequence) => [.. set.LiveAt(sequence).Select(record => (int)record.Vector.Span[0])];

    private static ulong[] Scan(WaitingSet set, long sequence, params WaitingSet[] newer)
    {
        var results = new ResultPool();
        results.Reset(100);
        QueryDistance exact = QueryDistance.Create(DistanceMetric.L2, VectorElementType.UInt8, 1);
        exact.SetQuery([0]);
        set.Scan(exact, sequence, results, 100, newer);
        results.Sort();
        return [.. Enumerable.Range(0, results.Count).Select(results.Key)];
    }
}
