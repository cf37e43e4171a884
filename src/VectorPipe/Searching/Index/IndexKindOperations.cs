using VectorPipe.Model;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Searching.Index;

/// <summary>What a kind of index does in its own way: check and load files, resolve options, calibrate, describe.</summary>
/// <remarks>
/// Stateless. The schema's <see cref="IIndexShape"/> says what its files look like; an open <see cref="SearchIndex"/> holds its memory and
/// makes its queries. No other code asks of which kind an index is.
/// </remarks>
internal abstract class IndexKindOperations
{
    /// <summary>Whether vectors are the nodes of a graph, and have links.</summary>
    public abstract bool HasGraph { get; }

    /// <summary>Checks length and pages of a file, whose header is right, against the manifest.</summary>
    /// <exception cref="IndexCorruptException">They do not agree.</exception>
    public virtual void CheckShape(PageFileReader file, Manifest manifest)
    {
        IndexSchema schema = manifest.Schema;
        switch (file.Entry.Role)
        {
            case FileRole.Nodes:
                RequirePages(file, schema.CreateLayout().PageSize, schema.NodePages + 1, schema.NodePages + 1);
                break;
            case FileRole.Keys:
                RequirePages(file, PageCodec.PageUnit, KeyDirectoryShape.FirstPage(manifest.Keys.Buckets), long.MaxValue);
                break;
            case FileRole.Vectors:
                new OriginalVectorLayout(schema.ElementType, schema.Dimension).RequirePages(file, schema.Count);
                break;
        }
    }

    /// <summary>Checks the content of a file that opening loads into memory, as opening does; ignores other files.</summary>
    /// <exception cref="IndexCorruptException">It does not agree with itself or with the manifest.</exception>
    public virtual void CheckContent(PageFileReader file, Manifest manifest, CancellationToken cancellationToken)
    {
        if (file.Entry.Role == FileRole.CodeBook)
            CodeBook.Check(file, manifest.Schema, cancellationToken);
    }

    /// <summary>Opens the files of an index and loads its memory, without caches.</summary>
    /// <param name="files">Its files.</param>
    /// <param name="reads">How sessions on the device read.</param>
    /// <param name="cancellationToken">Cancels loading.</param>
    /// <exception cref="IndexCorruptException">A file is damaged, or not of this index.</exception>
    /// <exception cref="DeviceException">A file cannot be opened, or not be read by pages.</exception>
    public abstract SearchIndex Load(IndexFiles files, PendingIoOptions reads, CancellationToken cancellationToken);

    /// <summary>The options of a walk with everything filled in.</summary>
    /// <param name="asked">Results asked for.</param>
    /// <param name="k">Results to find.</param>
    /// <param name="options">The options; those that all kinds share were checked.</param>
    /// <param name="index">An index of this kind.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range, contradicts another one, or is not for this
    /// kind.</exception>
    public abstract SearchPlan Plan(int asked, int k, SearchOptions options, SearchIndex index);

    /// <summary>Options of a search for neighbours of a vector, from which queries are made.</summary>
    public abstract SearchOptions NeighbourOptions(int k);

    /// <summary>Options of a search that reads the same pages whatever the order in which they land.</summary>
    public abstract SearchOptions WarmUpOptions(SearchIndex index);

    /// <summary>The searches that calibrate an index.</summary>
    public abstract CalibrationPlan PlanCalibration(IndexSchema schema);

    /// <summary>What a manifest says, for users.</summary>
    public virtual IndexInfo Describe(string directory, Manifest manifest)
    {
        IndexSchema schema = manifest.Schema;
        NodeLayout layout = schema.CreateLayout();
        long codeBook = schema.CodeBytes == 0 ? 0 : QuantizerFormat.ByteLength(schema.Dimension, schema.CodeBytes, schema.Code);
        return new IndexInfo
        {
            Directory = directory,
            Generation = manifest.Generation,
            Metric = schema.Metric,
            ElementType = schema.ElementType,
            Dimension = schema.Dimension,
            Count = schema.Count,
            Layout = layout.IsMerged ? IndexLayout.Merged : IndexLayout.Plain,
            MaxDegree = schema.MaxDegree,
            MeanDegree = schema.MeanDegree,
            CodeBytes = schema.CodeBytes,
            Code = schema.Code,
            PageElementType = layout.ElementType,
            HasOriginalVectors = !schema.IsRounded || manifest.VectorFile is not null,
            VectorBytes = schema.VectorBytes,
            PageVectorBytes = layout.VectorBytes,
            LinkBytesPerPage = layout.IsMerged ? layout.LinkBytes : layout.NodesPerPage * layout.MaxListLength * sizeof(uint),
            LinkRoomPerNode = (double)layout.LinkRoom(schema.Count) / layout.Fill,
            PageSize = layout.PageSize,
            NodesPerPage = layout.NodesPerPage,
            ReplicasPerPage = layout.ReplicasPerPage,
            PageGraphBytesPerPage = schema.Merged?.PageGraphBytes ?? 0,
            EntryPoint = schema.EntryPoint,
            BuildListSize = schema.BuildListSize,
            Alpha = schema.Alpha,
            Seed = schema.Seed,
            KeyBuckets = manifest.Keys.Buckets,
            LongestKeyChain = manifest.Keys.LongestChain,
            CodeMemoryBytes = 0,
            CodeBookMemoryBytes = codeBook,
            PageGraphMemoryBytes = 0,
            MemoryBytes = codeBook,
            Calibration = [
                .. (manifest.Calibration?.Points ?? [])
                .Select(point => new IndexCalibrationPoint(point.Threshold, point.Recall, point.Reads))],
            Files = [
                .. manifest.Files.Select(
                    file => new IndexFileInfo(file.Role.ToString(), file.Name, file.PageSize, file.PageCount, file.Length))],
        };
    }

    /// <summary>Opens a file of an index and checks its header, its length and its pages.</summary>
    protected PageFileReader Open(IndexFiles files, FileRole role)
    {
        PageFileReader file = files.Open(role);
        try
        {
            CheckShape(file, files.Manifest);
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Checks the files that searches and look-ups read; null stands for no file.</summary>
    protected FileEntry[] CheckFiles(IndexFiles files, params IEnumerable<FileEntry?> read)
    {
        FileEntry[] entries = [.. read.OfType<FileEntry>()];
        foreach (FileEntry entry in entries)
            Open(files, entry.Role).Dispose();
        return entries;
    }

    /// <summary>Makes sure that a file has pages of a size, and as many as expected.</summary>
    protected static void RequirePages(PageFileReader file, int pageSize, long least, long most)
    {
        FileEntry entry = file.Entry;
        if (entry.PageSize == pageSize && entry.PageCount >= least && entry.PageCount <= most)
            return;
        string count = least == most ? $"{least}" : $"at least {least}";
        throw new IndexCorruptException(
            file.FilePath, $"expected {count} pages of {pageSize} bytes, found {entry.PageCount} of {entry.PageSize}");
    }
}
