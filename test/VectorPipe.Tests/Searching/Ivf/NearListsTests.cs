using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Searching.Ivf;
using VectorPipe.Storage.Nodes;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching.Ivf;

/// <summary>Near lists are those of the nearest centroids, found by any method.</summary>
public sealed unsafe class NearListsTests
{
    private TestIndex _test = null!;
    private VectorIndex _index = null!;
    private IvfIndex _lists = null!;
    private byte[] _file = null!;

    [OneTimeSetUp]
    public void Build()
    {
        _test = TestIndex.BuildLists(count: 8000, dimension: 16, lists: 1000, type: VectorElementType.Float32);
        _index = _test.Open(DeviceKind.Memory);
        _lists = (IvfIndex)_index.Contents;
        _file = File.ReadAllBytes(_test.NodeFile);
    }

    [OneTimeTearDown]
    public void Delete()
    {
        _index.Dispose();
        _test.Dispose();
    }

    [Test]
    public void All_lists_come_in_the_order_of_their_distances()
    {
        var near = new NearLists(_lists.Lists);
        float[] query = Query(0);
        near.Find(query, _lists.Lists.Count);

        int[] found = [.. Enumerable.Range(0, near.Count).Select(rank => near[rank])];
        Assert.That(found, Is.EqualTo(Enumerable.Range(0, _lists.Lists.Count).OrderBy(list => Distance(query, list)).ThenBy(list => list)));
    }

    [Test]
    public void A_walk_finds_nearly_all_of_the_nearest_lists_with_fewer_distances()
    {
        const int Wanted = 8;
        var near = new NearLists(_lists.Lists);
        int found = 0;
        for (int i = 0; i < 50; i++)
        {
            float[] query = Query(i);
            near.Find(query, Wanted);
            Assert.That(near.Computed, Is.LessThan(_lists.Lists.Count));
            int[] nearest = [.. Enumerable.Range(0, _lists.Lists.Count).OrderBy(list => Distance(query, list)).Take(Wanted)];
            found += Enumerable.Range(0, near.Count).Select(rank => near[rank]).Intersect(nearest).Count();
        }

        Assert.That(found, Is.GreaterThanOrEqualTo(50 * Wanted * 97 / 100));
    }

    [Test]
    public void The_bound_holds_for_vectors_nearest_to_their_own_centroid()
    {
        var near = new NearLists(_lists.Lists);
        for (int i = 0; i < 5; i++)
        {
            float[] query = Query(i);
            near.Find(query, 60);
            int first = near[0];
            for (int rank = 1; rank < near.Count; rank++)
            {
                foreach (float[] vector in Vectors(near[rank]))
                {
                    // The division is approximate: a vector may lie in another list than that of its nearest centroid.
                    if (Distance(vector, near[rank]) <= Distance(vector, first))
                        Assert.That(
                            near.Bound(rank), Is.LessThanOrEqualTo((Squared(query, vector) * 1.0001) + 1e-4), $"query {i}, rank {rank}");
                }
            }
        }
    }

    private float[] Query(int i) =>
        MemoryMarshal.Cast<byte, float>(_test.MakeQueries(50).AsSpan(i * _test.RowBytes, _test.RowBytes)).ToArray();

    private double Distance(float[] query, int list) =>
        Squared(query, new ReadOnlySpan<float>(_lists.Lists.Centroid(list), _test.Dimension).ToArray());

    private static double Squared(float[] a, float[] b) => a.Zip(b, (x, y) => ((double)x - y) * ((double)x - y)).Sum();

    private List<float[]> Vectors(int list)
    {
        var found = new List<float[]>();
        fixed (byte* bytes = _file)
        {
            for (uint number = _lists.Lists.Directory.FirstPage(list); number < _lists.Lists.Directory.FirstPage(list + 1); number++)
            {
                var page = new NodePage(bytes + ((number + 1L) * _lists.Layout.PageSize), _lists.Layout);
                for (int slot = 0; slot < page.Count; slot++)
                    found.Add(MemoryMarshal.Cast<byte, float>(page.Vector(slot)).ToArray());
            }
        }

        return found;
    }
}
