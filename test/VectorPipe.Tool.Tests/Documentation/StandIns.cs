using System.IO.Compression;
using System.Runtime.InteropServices;
using PureHDF;
using VectorPipe.Formats;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>Small files, in the current folder, in the place of those that pages take for granted.</summary>
internal static class StandIns
{
    private const int Books = 300, OtherBooks = 40;

    private static readonly Dictionary<string, Func<Task>> _makers = new()
    {
        ["README.md"] = () => MakeBooksAsync(96),
        ["docs/benchmarks.md"] = MakeMeasuredAsync,
        ["docs/diskann.md"] = MakeDiskAnnAsync,
        ["docs/filters.md"] = () => MakeBooksAsync(96),
        ["docs/parameters.md"] = () => GenerateAsync("", 1000, 16, "float32", "cosine"),
        ["src/VectorPipe.Tool/PACKAGE.md"] = MakeAllFormatsAsync,
    };

    /// <summary>The pages that have some.</summary>
    public static IEnumerable<string> Pages => _makers.Keys;

    /// <summary>Makes those of a page, if it has any.</summary>
    public static Task MakeAsync(string page) => _makers.TryGetValue(page, out Func<Task>? make) ? make() : Task.CompletedTask;

    /// <summary>Makes an index, a collection, and the files that sentences name.</summary>
    public static async Task MakeForSentencesAsync()
    {
        await GenerateAsync("", 1000, 16, "float32", "cosine");
        File.Copy("query.fbin", "queries.fbin");
        await ToolRun.SucceedAsync("build", "--base", "base.fbin", "--out", "index", "--metric", "cosine");
        await ToolRun.SucceedAsync("create", "books", "--dimension", "16", "--attribute", "year:long");
        await ToolRun.SucceedAsync("upsert", "books", "--vectors", "base.fbin");
        await GenerateAsync("photosift-1m", 300, 16, "uint8", "l2");
    }

    /// <summary>books.fbin, and books.parquet with a row of attributes for each.</summary>
    private static async Task MakeBooksAsync(int dimension)
    {
        await WriteAsync("books.fbin", Books, dimension);
        await TestParquet.WriteAsync("books.parquet", groupRows: 100, AttributesOf(Books));
    }

    private static async Task MakeMeasuredAsync()
    {
        await GenerateAsync("photosift", 1000, 32, "uint8", "l2");
        File.Move("photosift.base.u8bin", "photosift-1m.base.u8bin");
        File.Move("photosift.truth.bin", "photosift-1m.truth-l2.bin");

        // BENCH grow makes it.
        File.Copy("photosift-1m.base.u8bin", "sift5m.u8bin");
    }

    private static Task MakeDiskAnnAsync()
    {
        TinyDiskAnn.Write("P");
        return Task.CompletedTask;
    }

    private static async Task MakeAllFormatsAsync()
    {
        await MakeBooksAsync(3);
        await File.WriteAllLinesAsync("keys.txt", Enumerable.Range(1, Books).Select(key => $"{key}"));
        float[] vectors = Vectors(OtherBooks, 3);
        await TestParquet.WriteAsync(
            "more-books.parquet", groupRows: 100,
            [
                TestColumn.Texts("key", [.. Enumerable.Range(0, OtherBooks).Select(row => $"more-{row}")]),
                TestColumn.Lists("vector", [.. vectors.Chunk(3).Select(row => row.Select(value => (float?)value).ToArray())]),
                .. AttributesOf(OtherBooks),
            ]);

        TestArrays.WriteArchive(
            "vectors.npz", CompressionLevel.NoCompression,
            ("embeddings", TestArrays.Encode("<f4", $"({Books}, 16)", isFortran: false, Vectors(Books, 16))));

        // The queries are rows: the nearest neighbour of each is itself.
        var neighbours = new int[20, 10];
        float[,] rows = Table(500, 25);
        for (int row = 0; row < 20; row++)
            neighbours[row, 0] = row;
        new H5File
        {
            ["train"] = rows,
            ["test"] = Table(20, 25),
            ["neighbors"] = neighbours,
            ["distances"] = new float[20, 10],
        }.Write("glove.hdf5");
    }

    private static TestColumn[] AttributesOf(int count) =>
    [
        TestColumn.Of<long>("year", [.. Enumerable.Range(0, count).Select(row => (long?)(1800 + row))]),
        TestColumn.TextLists("tags", [.. Enumerable.Range(0, count).Select(row => new[] { row % 3 == 0 ? "sea" : "novel", "paper" })]),
    ];

    private static async Task WriteAsync(string path, int count, int dimension)
    {
        await using VectorFileWriter writer = VectorFileWriter.Create(path, VectorElementType.Float32, dimension);
        await writer.WriteAsync(MemoryMarshal.AsBytes(Vectors(count, dimension).AsSpan()).ToArray());
        await writer.CompleteAsync();
    }

    private static float[] Vectors(int count, int dimension)
    {
        var random = new Random(count);
        return [.. Enumerable.Range(0, count * dimension).Select(_ => random.NextSingle() - 0.5f)];
    }

    // A smaller table of the same dimension holds the first rows of a larger one.
    private static float[,] Table(int count, int dimension)
    {
        var random = new Random(dimension);
        var table = new float[count, dimension];
        for (int at = 0; at < table.Length; at++)
            table[at / dimension, at % dimension] = random.NextSingle() - 0.5f;
        return table;
    }

    private static async Task GenerateAsync(string prefix, int count, int dimension, string type, string metric) =>
        await ToolRun.SucceedAsync(
            "generate", "--out", prefix.Length == 0 ? "./" : prefix, "--points", $"{count}", "--queries", "100",
            "--dimension", $"{dimension}", "--type", type, "--metric", metric, "-k", "20");
}
