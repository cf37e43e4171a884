using NUnit.Framework;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Tests.Building.Paging;

namespace VectorPipe.Tests.Building.Partitioned;

/// <summary>The rows around a leaf are read ahead, as far as a lease may hold them.</summary>
[Platform("Linux")]
internal sealed class LeafWindowTests
{
    private const int Leaves = 10;
    private const int LeafSize = 4;
    private static readonly int _rowFloats = PagedMemory.BlockBytes / sizeof(float);

    // A leaf has eight blocks, and may touch one more.
    private const int BlocksOfLeaf = 2 * LeafSize;

    [TestCase(200, new[] { 4, 5, 6 })]
    [TestCase(54, new[] { 4, 5, 6 })]
    [TestCase(53, new[] { 4, 5 })]
    [TestCase(18, new[] { 5 })]
    [TestCase(17, new int[0])]
    public void The_nearest_leaves_are_read_as_far_as_a_lease_may_hold_them(int blocks, int[] expected)
    {
        using var paged = new PagedLeaves(blocks);
        paged.Open(leaf: 5);

        Assert.That(paged.Harness.Memory.ResidentBytes, Is.EqualTo(PagingHarness.Bytes(expected.Length * BlocksOfLeaf)));
        using PageLease lease = paged.Harness.Memory.Rent();
        lease.Begin();
        for (int row = 0; row < Leaves * LeafSize; row++)
        {
            bool isExpected = expected.Contains(row / LeafSize);
            Assert.That(
                (paged.Vectors.TryHold(lease, row), paged.Links.TryHold(lease, row)), Is.EqualTo((isExpected, isExpected)), $"row {row}");
        }
    }

    [Test]
    public void Leaves_that_are_in_memory_are_not_read_again()
    {
        using var paged = new PagedLeaves(blocks: 200);
        paged.Open(leaf: 5);
        long before = paged.Harness.Memory.BytesRead;
        paged.Open(leaf: 5);
        Assert.That(paged.Harness.Memory.BytesRead, Is.EqualTo(before));
        paged.Open(leaf: 6);
        Assert.That(
            paged.Harness.Memory.BytesRead, Is.EqualTo(before + PagingHarness.Bytes(BlocksOfLeaf)), "of leaves 5, 6 and 7 only the last");
    }

    /// <summary>Leaves in a row; each row of vectors and of links is a block, which is only in its file.</summary>
    private sealed class PagedLeaves : IDisposable
    {
        private readonly PointTable _points;
        private readonly LeafMap _map;
        private readonly BuildContext _context;

        public PagedLeaves(int blocks)
        {
            // Distances to the leaves above are a little longer than to those below.
            float[][] points = [.. Enumerable.Range(0, Leaves * LeafSize).Select(row => new float[_rowFloats])];
            for (int row = 0; row < points.Length; row++)
                points[row][0] = MathF.Pow(row / LeafSize, 1.1f);
            _points = TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, points).ToPointTable();
            KernelRowFormat form = KernelRowFormat.Of(_points);
            Harness = new PagingHarness(blocks: 200);
            Vectors = new VectorTable(form, points.Length, Harness.Memory);
            Links = new LinkTable(points.Length, _rowFloats - 1, Harness.Memory);
            using (PageLease lease = Harness.Memory.Rent())
            {
                lease.Begin();
                Vectors.Ask(lease, 0, points.Length);
                Links.Ask(lease, 0, points.Length);
                lease.Fetch();
                for (int row = 0; row < points.Length; row++)
                {
                    Vectors.Load(row, _points, row);
                    Links.SetLinks(row, [0]);
                }
            }

            Harness.Memory.SetCapacity(0);
            Harness.Memory.SetCapacity(PagingHarness.Bytes(blocks));
            int[] offsets = [.. Enumerable.Range(0, Leaves + 1).Select(leaf => leaf * LeafSize)];
            var centroids = new VectorTable(form, Leaves);
            for (int leaf = 0; leaf < Leaves; leaf++)
                centroids.Load(leaf, _points, leaf * LeafSize);
            var groups = new VectorTable(form, 1);
            groups.Load(0, _points, 0);
            _map = new LeafMap(offsets, [.. Enumerable.Range(0, points.Length)], centroids, groups, [0, Leaves]);
            _context = new BuildContext(
                _map,
                new SampleLevels(_map, start: 0, rate: 8, seed: 1),
                Vectors,
                Entry: 0,
                new PartitionedOptions { NearLeaves = 3 },
                new GraphParameters(MaxDegree: 4, ListSize: 10, Alpha: 1.2f, Threads: 1, Seed: 1),
                Harness.Memory,
                Progress: null,
                new Effort(),
                CancellationToken.None);
        }

        public PagingHarness Harness { get; }

        public VectorTable Vectors { get; }

        public LinkTable Links { get; }

        /// <summary>Opens a window and waits for its reads.</summary>
        public void Open(int leaf)
        {
            using PageLease lease = _context.Rent();
            lease.Begin();
            new LeafWindow(_context).Open(leaf, lease, Links);
        }

        public void Dispose()
        {
            Links.Dispose();
            Vectors.Dispose();
            _map.Dispose();
            _points.Dispose();
            Harness.Dispose();
        }
    }
}
