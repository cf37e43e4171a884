using VectorPipe.Devices;

namespace VectorPipe.Storage;

/// <summary>Centroids, the graph over them, and where the lists lie: the file of lists in memory.</summary>
/// <remarks>Immutable, so any number of threads may read it. Freed by <see cref="Dispose"/>.</remarks>
internal sealed unsafe class ListTable : IDisposable
{
    private readonly NativeBuffer _memory;
    private readonly ListShape _shape;

    private ListTable(NativeBuffer memory, ListShape shape, ListDirectory directory)
    {
        _memory = memory;
        _shape = shape;
        Directory = directory;
    }

    /// <summary>Where the lists lie.</summary>
    public ListDirectory Directory { get; }

    /// <summary>Lists.</summary>
    public int Count => _shape.Lists;

    /// <summary>The centroid at which a search enters.</summary>
    public int Entry => _shape.Entry;

    /// <summary>Links of a centroid, at most.</summary>
    public int Degree => _shape.Degree;

    /// <summary>Components of a centroid.</summary>
    public int Components => _shape.Components;

    /// <summary>Bytes in memory.</summary>
    public long Bytes => (long)_memory.Length;

    /// <summary>First component of a centroid: a float each.</summary>
    public float* Centroid(int list) => (float*)_memory.Pointer + ((nint)list * _shape.Components);

    /// <summary>Centroids that a centroid links to.</summary>
    public ReadOnlySpan<uint> Links(int list)
    {
        var links = new ReadOnlySpan<uint>(LinksOf(_memory, _shape) + ((nint)list * _shape.Degree), _shape.Degree);
        int end = links.IndexOf((uint)list);
        return end < 0 ? links : links[..end];
    }

    /// <summary>Loads the file of an index of lists, and checks that its codes, if it has some, are as many as the lists say.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="manifest">Of an index of lists.</param>
    /// <param name="cancellationToken">Cancels loading.</param>
    /// <exception cref="IndexCorruptException">The file is damaged, or not of this index.</exception>
    public static ListTable Load(string directory, Manifest manifest, CancellationToken cancellationToken)
    {
        using var reader = new PageFileReader(directory, manifest.File(FileRole.Lists), manifest.IndexId);
        ListTable lists = Load(reader, manifest.Schema, cancellationToken);
        if (!manifest.Schema.Lists!.IsCoded || manifest.File(FileRole.Codes).PageCount == lists.Directory.CodePages + 1L)
            return lists;
        string expected = $"expected {lists.Directory.CodePages + 1L} pages of codes, found {manifest.File(FileRole.Codes).PageCount}";
        lists.Dispose();
        throw new IndexCorruptException(Path.Combine(directory, IndexDirectory.ManifestName), expected);
    }

    /// <summary>Loads the file and checks all that searches rely on.</summary>
    /// <param name="reader">The file.</param>
    /// <param name="schema">Of an index of lists.</param>
    /// <param name="cancellationToken">Cancels loading.</param>
    /// <exception cref="IndexCorruptException">The file is damaged, or not of this index.</exception>
    public static ListTable Load(PageFileReader reader, IndexSchema schema, CancellationToken cancellationToken)
    {
        ListShape shape = schema.Lists!;

        // The header is checked against the schema before memory is asked for, so a damaged schema cannot ask for too much.
        if (reader.Header.StreamLength != shape.StreamLength)
            throw new IndexCorruptException(reader.FilePath, 0, $"expected {shape.StreamLength} bytes for {shape.Lists} lists, found {reader.Header.StreamLength}");
        var memory = new NativeBuffer((nuint)shape.StreamLength);
        try
        {
            reader.ReadStream(memory, cancellationToken);
            var rows = new ReadOnlySpan<uint>(LinksOf(memory, shape) + ((nint)shape.Lists * shape.Degree), shape.Lists);
            if (rows.Contains(0u) || rows.IndexOfAnyInRange((uint)int.MaxValue + 1, uint.MaxValue) >= 0)
                throw new IndexCorruptException(reader.FilePath, "expected 1 to 2,147,483,647 rows in every list, found others");
            var directory = new ListDirectory(rows, schema.CreateLayout().NodesPerPage, shape.IsCoded ? ListShape.CodesPerPage(schema.CodeBytes) : 0);
            if (directory.TotalRows != schema.Count || directory.Pages != shape.Pages)
                throw new IndexCorruptException(reader.FilePath, $"expected {schema.Count} rows in {shape.Pages} pages, found {directory.TotalRows} in {directory.Pages}");
            if (new ReadOnlySpan<uint>(LinksOf(memory, shape), shape.Lists * shape.Degree).IndexOfAnyInRange((uint)shape.Lists, uint.MaxValue) is var wrong && wrong >= 0)
                throw new IndexCorruptException(reader.FilePath, $"expected links below {shape.Lists}, found another of list {wrong / shape.Degree}");
            return new ListTable(memory, shape, directory);
        }
        catch (OverflowException e)
        {
            memory.Dispose();
            throw new IndexCorruptException($"{reader.FilePath}: expected lists of fewer than 2^32 pages, found more.", e);
        }
        catch
        {
            memory.Dispose();
            throw;
        }
    }

    /// <summary>Frees the memory.</summary>
    public void Dispose() => _memory.Dispose();

    private static uint* LinksOf(NativeBuffer memory, ListShape shape) => (uint*)memory.Pointer + ((nint)shape.Lists * shape.Components);
}
