using VectorPipe.Formats;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Tests.Infrastructure;

/// <summary>Small data that all tests read and none changes.</summary>
internal static class SharedData
{
    public const int Points = 600;
    public const int Queries = 40;
    public const int Keys = 300;
    private const int Dimension = 16;

    private static readonly TempFolder _folder = new();

    /// <summary>Folder of the page file.</summary>
    public static string Pages => _folder["pages"];

    /// <summary>Index of the search tests; built by the first of them.</summary>
    public static string SearchIndex => _folder["search.index"];

    /// <summary>Index of the look-up tests; built by the first of them.</summary>
    public static string GetIndex => _folder["get.index"];

    /// <summary>Prefix of base, queries and truth.</summary>
    public static string DataSet => _folder["set"];

    /// <summary>Removes everything.</summary>
    public static void Delete() => _folder.Dispose();

    /// <summary>Writes the data set.</summary>
    public static async Task WriteDataSetAsync()
    {
        var random = new SplitMix64(5);
        byte[] rows = Enumerable.Range(0, Points * Dimension).Select(_ => (byte)random.Next()).ToArray();
        await WriteAsync("set.base.u8bin", rows);

        // The queries are rows of the base: the nearest neighbour of each is itself.
        await WriteAsync("set.query.u8bin", rows[..(Queries * Dimension)]);
        uint[] ids = [.. Enumerable.Range(0, Queries).Select(i => (uint)i)];
        await GroundTruth.SaveAsync(_folder["set.truth.bin"], Queries, 1, ids, new float[Queries]);
    }

    private static async Task WriteAsync(string name, byte[] rows)
    {
        await using VectorFileWriter writer = VectorFileWriter.Create(_folder[name], VectorElementType.UInt8, Dimension);
        await writer.WriteAsync(rows);
        await writer.CompleteAsync();
    }
}
