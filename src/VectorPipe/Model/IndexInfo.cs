using VectorPipe.Model;

namespace VectorPipe;

/// <summary>Describes an index, as its manifest does.</summary>
public sealed record IndexInfo
{
    internal IndexInfo()
    {
    }

    /// <summary>The directory.</summary>
    public string Directory { get; internal init; } = "";

    /// <summary>Number of the build into the directory, from 1.</summary>
    public long Generation { get; internal init; }

    /// <summary>How the index finds vectors.</summary>
    public IndexKind Kind { get; internal init; }

    /// <summary>The distance.</summary>
    public DistanceMetric Metric { get; internal init; }

    /// <summary>Type of a component.</summary>
    public VectorElementType ElementType { get; internal init; }

    /// <summary>Components of a vector.</summary>
    public int Dimension { get; internal init; }

    /// <summary>Number of vectors.</summary>
    public long Count { get; internal init; }

    /// <summary>Whether <see cref="VectorIndex.GetAsync(ulong, CancellationToken)"/> returns each vector bit for bit.</summary>
    /// <remarks>It does not if pages hold vectors rounded and the build dropped the original ones.</remarks>
    public bool HasOriginalVectors { get; internal init; }

    /// <summary>Bytes of a page, the unit of reading.</summary>
    public int PageSize { get; internal init; }

    /// <summary>Bytes of memory that the open index takes, without caches and sessions.</summary>
    public long MemoryBytes { get; internal init; }

    /// <summary>Bytes of all files of the index.</summary>
    public long DiskBytes => Files.Sum(file => file.Length);

    /// <summary>Names of the files that a copy of the index needs beside MANIFEST, without the directory.</summary>
    public IReadOnlyList<string> FileNames => [.. Files.Select(file => file.Name)];

    /// <summary>Recall and reads at each threshold (graph, highest first) or number of probes (IVF, lowest first).</summary>
    /// <remarks>Empty if the index was not calibrated.</remarks>
    public IReadOnlyList<IndexCalibrationPoint> Calibration { get; internal init; } = [];

    /// <summary>Everything else, for people to read: layout, codes, memory, files. Names and values may change in any version.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Details => IndexDetails.Of(this);

    /// <summary>Number of lists (IVF); else 0.</summary>
    internal int Lists { get; init; }

    /// <summary>Whether searches scan codes that lie in the lists (IVF).</summary>
    internal bool CodedLists { get; init; }

    /// <summary>Bytes of the centroids and of the graph over them in memory (IVF); else 0.</summary>
    internal long ListMemoryBytes { get; init; }

    /// <summary>What a page holds.</summary>
    internal IndexLayout Layout { get; init; }

    /// <summary>R: most links of a node.</summary>
    internal int MaxDegree { get; init; }

    /// <summary>Mean out-degree.</summary>
    internal double MeanDegree { get; init; }

    /// <summary>Bytes of a code.</summary>
    internal int CodeBytes { get; init; }

    /// <summary>How codes are made.</summary>
    internal CodeKind Code { get; init; }

    /// <summary>Type of a component in pages: float16 where pages hold float32 vectors rounded.</summary>
    internal VectorElementType PageElementType { get; init; }

    /// <summary>Bytes of an original vector.</summary>
    internal int VectorBytes { get; init; }

    /// <summary>Bytes of a vector in a page.</summary>
    internal int PageVectorBytes { get; init; }

    /// <summary>Bytes for links in a page.</summary>
    internal int LinkBytesPerPage { get; init; }

    /// <summary>Links for which a page has room, per node; approximate in the merged layout.</summary>
    internal double LinkRoomPerNode { get; init; }

    /// <summary>Nodes of a page.</summary>
    internal int NodesPerPage { get; init; }

    /// <summary>Most vectors of other pages that a page repeats (merged layout).</summary>
    internal int ReplicasPerPage { get; init; }

    /// <summary>Bytes of a page's links in memory (merged layout).</summary>
    internal int PageGraphBytesPerPage { get; init; }

    /// <summary>Internal id of the node at which a search enters.</summary>
    internal long EntryPoint { get; init; }

    /// <summary>L of the build; 0 if the index was imported.</summary>
    internal int BuildListSize { get; init; }

    /// <summary>Alpha of the build; 0 if the index was imported.</summary>
    internal double Alpha { get; init; }

    /// <summary>Seed of the build; 0 if the index was imported.</summary>
    internal ulong Seed { get; init; }

    /// <summary>Buckets of the key directory.</summary>
    internal long KeyBuckets { get; init; }

    /// <summary>Pages of the key directory's longest chain: the most that a look-up reads there. Nearly always 1.</summary>
    internal int LongestKeyChain { get; init; }

    /// <summary>Bytes of all codes in memory.</summary>
    internal long CodeMemoryBytes { get; init; }

    /// <summary>Bytes of the code book in memory.</summary>
    internal long CodeBookMemoryBytes { get; init; }

    /// <summary>Bytes of the page graph in memory; 0 in the plain layout.</summary>
    internal long PageGraphMemoryBytes { get; init; }

    /// <summary>The files.</summary>
    internal IReadOnlyList<IndexFileInfo> Files { get; init; } = [];
}
