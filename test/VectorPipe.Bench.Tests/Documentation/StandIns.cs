using NUnit.Framework;
using VectorPipe.Bench.Generation;
using VectorPipe.Bench.Tests.Infrastructure;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Tests.Documentation;

/// <summary>Small files, in the current folder, in the place of those that the page on benchmarks takes for granted.</summary>
internal static class StandIns
{
    private const int Points = 1000, Queries = 100, Dimension = 32, Neighbours = 10;
    private const string Set = "photosift", Base = Set + ".base.u8bin", Query = Set + ".query.u8bin", Truth = Set + ".truth.bin";
    private const string Source = "benchmark/hnswlib/search.cpp";

    // The names of the page for the same three files, in one part of it and in another.
    private static readonly (string From, string To)[] _names =
    [
        (Base, "photosift-1m.base.u8bin"), (Base, "base.u8bin"), (Query, "query.u8bin"), (Truth, "truth.bin"),
        (Truth, "photosift-1m.truth-l2.bin"), (Truth, "photosift-100k.truth-l2.bin"),
    ];

    /// <summary>Writes vectors, queries and their neighbours, an index, reports, and the source of the program of hnswlib.</summary>
    public static async Task MakeAsync()
    {
        var vectors = new SyntheticVectors("clusters", VectorElementType.UInt8, Dimension, seed: 3);
        await vectors.WriteAsync(Base, Points, VectorStream.Base, progress: null, CancellationToken.None);
        await vectors.WriteAsync(Query, Queries, VectorStream.Query, progress: null, CancellationToken.None);
        await ExactNeighbours.WriteAsync(
            Base, Query, Truth, Neighbours, DistanceMetric.L2, threads: 1, progress: null, CancellationToken.None);
        foreach ((string from, string to) in _names)
            File.Copy(from, to);
        Directory.CreateDirectory("ssd");
        Directory.CreateDirectory(Path.GetDirectoryName(Source)!);
        File.Copy(Path.Combine(Repository.Root, Source), Source);

        BenchProcess built = await BenchProcess.RunAsync(
            ["search", "--index", "index", "--dataset", Set, "--json-output", "before-1.json", .. BenchProcess.Short]);
        Assert.That(built.ExitCode, Is.Zero, built.Error);
        foreach (string name in new[] { "before-2.json", "before-3.json", "after-1.json", "after-2.json", "after-3.json" })
            File.Copy("before-1.json", name);
    }
}
