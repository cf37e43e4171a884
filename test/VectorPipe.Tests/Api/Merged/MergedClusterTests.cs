using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Model.Build;
using VectorPipe.Model.Open;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api.Merged;

/// <summary>Page packing keeps the links between clusters that lie far apart.</summary>
/// <remarks>There are three times as many clusters as entry points of a search.</remarks>
public sealed class MergedClusterTests
{
    private const int Clusters = 400;
    private const int Dimension = 16;

    [TestCase(null, 8)]
    [TestCase(null, 15, Category = "Heavy")]
    [TestCase(null, 40, Category = "Heavy")]
    [TestCase(0.0, 40, Description = "no page graph: every hop leads through pages", Category = "Heavy")]
    public async Task Vectors_of_every_cluster_are_found(double? pageGraphBytes, int members)
    {
        using var folder = new TemporaryFolder();
        byte[] rows = Rows(members);
        await using (VectorSource source = VectorSource.FromMemory<byte>(rows, Dimension))
            await new VectorIndexBuilder(
                folder.File("index"),
                new BuildOptions { Threads = 2, Tuning = new BuildTuning { CodeBytes = 8, PageGraphBytes = pageGraphBytes } })
            { CalibrationQueries = 50 }.BuildAsync(source);

        await using VectorIndex index =
            await VectorIndex.OpenAsync(folder.File("index"), new OpenOptions { Device = new DeviceOptions { Kind = DeviceKind.Memory } });
        using SearchSession session = index.OpenSession();
        var options = new SearchOptions { Graph = new GraphSearch { ListSize = 100 } };
        var hits = new SearchHit[1];
        var lost = new List<int>();
        for (int row = 0; row < Clusters * members; row += 4)
        {
            session.Search<byte>(rows.AsSpan(row * Dimension, Dimension), 1, hits, options);
            if (hits[0].Score != 0)
                lost.Add(row);
        }

        Assert.That(lost, Has.Count.LessThanOrEqualTo(Clusters * members / 4 / 200), $"at most 0.5 % are lost: {string.Join(", ", lost)}");
    }

    // A spread of 3 around centres that lie some 200 apart.
    private static byte[] Rows(int members)
    {
        var random = new Random(20281);
        byte[] rows = new byte[Clusters * members * Dimension];
        byte[] centres = new byte[Clusters * Dimension];
        random.NextBytes(centres);
        for (int i = 0; i < rows.Length; i++)
        {
            int cluster = i / Dimension % Clusters;
            rows[i] = (byte)Math.Clamp(centres[cluster * Dimension + i % Dimension] + random.Next(-5, 6), 0, 255);
        }

        return rows;
    }
}
