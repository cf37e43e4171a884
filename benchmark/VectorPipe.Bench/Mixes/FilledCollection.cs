using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Mixes;

/// <summary>Makes the collection of a benchmark: the first rows of the base, in an index on disk.</summary>
internal static class FilledCollection
{
    public static async Task<VectorCollection<ulong>> CreateAsync<T>(
        CollectionBenchArguments arguments, ToolConsole console, VectorMatrix vectors, CancellationToken cancellationToken)
        where T : unmanaged
    {
        string folder = arguments.CollectionFolder;
        if (VectorCollection.Exists(folder))
            Directory.Delete(folder, recursive: true);
        var schema = new CollectionSchema
        {
            Dimension = vectors.Dimension,
            ElementType = vectors.ElementType,
            Metric = Choices.Metric(arguments.Metric),
        };

        // Filled with the options of any collection, then opened with those of the run: the fill counts for nothing.
        ReadOnlySpan<byte> rows = vectors.Bytes.AsSpan(0, arguments.Points * vectors.RowBytes);
        await using (VectorSource source = VectorSource.FromMemory(MemoryMarshal.Cast<byte, T>(rows).ToArray(), vectors.Dimension))
        await using (var filled = await VectorCollection<ulong>.OpenAsync(folder, schema, cancellationToken: cancellationToken))
            await arguments.WithProgressAsync(console, progress => filled.ImportAsync(source, progress, cancellationToken));
        return await VectorCollection<ulong>.OpenAsync(folder, arguments.ToOptions(console), cancellationToken);
    }
}
