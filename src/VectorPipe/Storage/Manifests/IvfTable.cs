using VectorPipe.Devices.Native;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Manifests;

/// <summary>The file of lists in memory: centroids, the graph over them, and the places of the lists.</summary>
/// <remarks>Immutable, so any number of threads may read it. Freed by <see cref="Dispose"/>.</remarks>
internal sealed unsafe class IvfTable : IDisposable
{
    private readonly NativeBuffer _memory;
    private readonly IvfShape _shape;

    private IvfTable(NativeBuffer memory, IvfShape shape, IvfDirectory directory)
    {
        _memory = memory;
        _shape = shape;
        Directory = directory;
    }

    public IvfDirectory Directory { get; }
    public int Count => _shape.Lists;

    /// <summary>The centroid at which a search enters.</summary>
    public int Entry => _shape.Entry;

    /// <summary>The most links of a centroid.</summary>
    public int Degree => _shape.Degree;

    public int Components => _shape.Components;
    public long Bytes => (long)_memory.Length;

    /// <summary>First component of a centroid.</summary>
    public float* Centroid(int list) => (float*)_memory.Pointer + ((nint)list * _shape.Components);

    /// <summary>The centroids to which a centroid links.</summary>
    public ReadOnlySpan<uint> Links(int list)
    {
        var links = new ReadOnlySpan<uint>(LinksOf(_memory, _shape) + ((nint)list * _shape.Degree), _shape.Degree);
        int end = links.IndexOf((uint)list);
        return end < 0 ? links : links[..end];
    }

    /// <summary>Loads the file, and checks everything that searches rely on.</summary>
    /// <exception cref="IndexCorruptException">The file is damaged, or belongs to another index.</exception>
    public static IvfTable Load(PageFileReader reader, Manifest manifest, CancellationToken cancellationToken)
    {
        IndexSchema schema = manifest.Schema;
        IvfShape shape = schema.Lists!;

        // The header is checked before the allocation, so that a damaged schema cannot demand too much memory.
        if (reader.Header.StreamLength != shape.StreamLength)
            throw new IndexCorruptException(
                reader.FilePath, 0, $"expected {shape.StreamLength} bytes for {shape.Lists} lists, found {reader.Header.StreamLength}");
        var memory = new NativeBuffer((nuint)shape.StreamLength);
        try
        {
            reader.ReadAll(memory, cancellationToken);
            var rows = new ReadOnlySpan<uint>(LinksOf(memory, shape) + ((nint)shape.Lists * shape.Degree), shape.Lists);
            if (rows.Contains(0u) || rows.IndexOfAnyInRange((uint)int.MaxValue + 1, uint.MaxValue) >= 0)
                throw new IndexCorruptException(reader.FilePath, "expected 1 to 2,147,483,647 rows in every list, found others");
            var directory =
                new IvfDirectory(rows, schema.CreateLayout().NodesPerPage, shape.IsCoded ? IvfShape.CodesPerPage(schema.CodeBytes) : 0);
            if (directory.TotalRows != schema.Count || directory.Pages != shape.Pages)
                throw new IndexCorruptException(
                    reader.FilePath,
                    $"expected {schema.Count} rows in {shape.Pages} pages, found {directory.TotalRows} in {directory.Pages}");
            if (WordScan.FirstAtLeast(LinksOf(memory, shape), (long)shape.Lists * shape.Degree, (uint)shape.Lists) is var wrong and >= 0)
                throw new IndexCorruptException(
                    reader.FilePath, $"expected links below {shape.Lists}, found another of list {wrong / shape.Degree}");
            if (WordScan.FirstNotFinite((uint*)memory.Pointer, (long)shape.Lists * shape.Components) is var odd and >= 0)
                throw new IndexCorruptException(
                    reader.FilePath, $"expected centroids of finite numbers, found another in that of list {odd / shape.Components}");
            if (shape.IsCoded && manifest.File(FileRole.Codes).PageCount is var codePages && codePages != directory.CodePages + 1L)
                throw new IndexCorruptException(
                    reader.FilePath, $"expected {directory.CodePages + 1L} pages of codes, found {codePages}");
            return new IvfTable(memory, shape, directory);
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

    public void Dispose() => _memory.Dispose();

    private static uint* LinksOf(NativeBuffer memory, IvfShape shape) => (uint*)memory.Pointer + ((nint)shape.Lists * shape.Components);
}
