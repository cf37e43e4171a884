using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Collections.Columns;

namespace VectorPipe.Tool.Inputs;

/// <summary>Files of vectors, by their names. Rows come one block after another: a file may be larger than the memory.</summary>
internal static class VectorInput
{
    /// <summary>The formats, for help texts.</summary>
    public const string Formats =
        ".fbin, .u8bin, .i8bin, .fvecs, .bvecs, .npy, .npz[:ARRAY], .hdf5[:DATASET], .parquet or .arrow[:COLUMN]";

    /// <summary>Opens a file of vectors to search among.</summary>
    /// <param name="withKeys">Whether the keys that it may have are of use.</param>
    public static Task<VectorSource> OpenBaseAsync(
        string text, ToolConsole console, CancellationToken cancellationToken, bool withKeys = true) =>
        OpenAsync(text, Hdf5File.Train, withKeys, console, cancellationToken);

    /// <summary>Opens a file of vectors to search among, with keys from another file; null for its own keys, or row numbers.</summary>
    public static async Task<VectorSource> OpenBaseAsync(
        string text, string? keysPath, ToolConsole console, CancellationToken cancellationToken)
    {
        VectorSource vectors = await OpenBaseAsync(text, console, cancellationToken, withKeys: keysPath is null);
        if (keysPath is null)
            return vectors;
        try
        {
            return new KeyedSource(vectors, await KeyFile.OpenAsync(keysPath, vectors.Count, cancellationToken), keysPath);
        }
        catch
        {
            await vectors.DisposeAsync();
            throw;
        }
    }

    /// <summary>Reads a file of queries.</summary>
    /// <param name="option">The option that names it, for errors.</param>
    public static async Task<VectorMatrix> LoadQueriesAsync(
        string option, string text, ToolConsole console, CancellationToken cancellationToken)
    {
        await using VectorSource queries = await OpenQueriesAsync(text, console, cancellationToken);
        return await VectorMatrix.LoadAsync(option, text, queries, cancellationToken);
    }

    /// <summary>Opens a file of queries, in a format that <see cref="LoadQueriesAsync"/> reads.</summary>
    public static Task<VectorSource> OpenQueriesAsync(string text, ToolConsole console, CancellationToken cancellationToken) =>
        OpenAsync(text, Hdf5File.Test, withKeys: false, console, cancellationToken);

    private static async Task<VectorSource> OpenAsync(
        string text, string dataSet, bool withKeys, ToolConsole console, CancellationToken cancellationToken)
    {
        InputName name = InputName.Parse(text);
        VectorSource source = name switch
        {
            { IsHdf5: true } => Hdf5Source.Open(name, dataSet),
            { Extension: ".npz" } => await NpzFile.OpenAsync(name, cancellationToken),
            { Extension: ".npy" } => await OpenNpyAsync(name.Path, cancellationToken),
            _ when ColumnFile.IsNamed(name.Path) => await ColumnSource.OpenAsync(name, withKeys, cancellationToken),
            { Extension: ".fbin" or ".u8bin" or ".i8bin" or ".fvecs" or ".bvecs" } =>
                await VectorSource.OpenFileAsync(text, cancellationToken),
            _ => throw new VectorFormatException(
                $"'{text}': expected a file name that ends in {Formats}; found extension '{name.Extension}'."),
        };
        if (source is ArraySource { IsRounded: true } or ColumnSource { IsRounded: true })
            console.Note($"'{text}' holds float64; its components are rounded to float32");
        return source;
    }

    // The library reads matrices of its own types faster, and has the finer errors.
    private static async Task<VectorSource> OpenNpyAsync(string path, CancellationToken cancellationToken)
    {
        var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, 1 << 16, FileOptions.Asynchronous);
        try
        {
            NpyArray array = await NpyArray.ReadAsync(file, $"'{path}'", cancellationToken);
            if (!array.IsPlainMatrix)
                return await NpySource.CreateAsync(file, file.Length, array, owner: null, cancellationToken);
        }
        catch
        {
            await file.DisposeAsync();
            throw;
        }

        await file.DisposeAsync();
        return await VectorSource.OpenFileAsync(path, cancellationToken);
    }
}
