namespace VectorPipe;

/// <summary>What an index is, as its manifest says.</summary>
public sealed partial record IndexInfo
{
    /// <summary>The directory.</summary>
    public required string Directory { get; init; }

    /// <summary>Counts the builds into the directory, from 1.</summary>
    public required long Generation { get; init; }

    /// <summary>How near vectors are.</summary>
    public required DistanceMetric Metric { get; init; }

    /// <summary>Type of a component.</summary>
    public required VectorElementType ElementType { get; init; }

    /// <summary>Components of a vector.</summary>
    public required int Dimension { get; init; }

    /// <summary>Vectors.</summary>
    public required long Count { get; init; }

    /// <summary>What a page holds.</summary>
    public required IndexLayout Layout { get; init; }

    /// <summary>R: most links of a node.</summary>
    public required int MaxDegree { get; init; }

    /// <summary>Mean out-degree.</summary>
    public required double MeanDegree { get; init; }

    /// <summary>Bytes of a compressed code.</summary>
    public required int CodeBytes { get; init; }

    /// <summary>How codes are made.</summary>
    public required CodeKind Code { get; init; }

    /// <summary>
    /// Type of a component in pages: <see cref="VectorElementType.Float16"/> for float32 vectors that pages hold rounded, else
    /// <see cref="ElementType"/>.
    /// </summary>
    public required VectorElementType PageElementType { get; init; }

    /// <summary>
    /// Whether look-ups tell vectors as they were given, bit for bit: not if pages hold them rounded and the build dropped the others.
    /// </summary>
    public required bool HasGivenVectors { get; init; }

    /// <summary>Bytes of a vector as it was given.</summary>
    public required int VectorBytes { get; init; }

    /// <summary>Bytes of a vector in a page.</summary>
    public required int PageVectorBytes { get; init; }

    /// <summary>Bytes for links in a page.</summary>
    public required int LinkBytesPerPage { get; init; }

    /// <summary>Links a node for which a page has room: about, in the merged layout.</summary>
    public required double LinkRoomPerNode { get; init; }

    /// <summary>Bytes of a page: the unit of reading.</summary>
    public required int PageSize { get; init; }

    /// <summary>Nodes of a page.</summary>
    public required int NodesPerPage { get; init; }

    /// <summary>Merged layout: vectors of other pages that a page repeats, at most.</summary>
    public required int ReplicasPerPage { get; init; }

    /// <summary>Merged layout: bytes of a page's links that are held in memory.</summary>
    public required int PageGraphBytesPerPage { get; init; }

    /// <summary>Internal id of the node at which a search enters.</summary>
    public required long EntryPoint { get; init; }

    /// <summary>L of the build; 0 if the index was imported.</summary>
    public required int BuildListSize { get; init; }

    /// <summary>Alpha of the build; 0 if the index was imported.</summary>
    public required double Alpha { get; init; }

    /// <summary>Seed of the build; 0 if the index was imported.</summary>
    public required ulong Seed { get; init; }

    /// <summary>Buckets of the key directory: the chain of each begins with a page of its own.</summary>
    public required long KeyBuckets { get; init; }

    /// <summary>Pages of the key directory's longest chain: the most that a look-up reads there. Nearly always 1.</summary>
    public required int LongestKeyChain { get; init; }

    /// <summary>Bytes of all codes in memory.</summary>
    public required long CodeMemoryBytes { get; init; }

    /// <summary>Bytes of the code book in memory.</summary>
    public required long CodeBookMemoryBytes { get; init; }

    /// <summary>Bytes of entry points and links of pages in memory; 0 in the plain layout.</summary>
    public required long PageGraphMemoryBytes { get; init; }

    /// <summary>
    /// Bytes that an open index holds in memory: codes, code book, and links of pages; of lists the code book and the centroids.
    /// </summary>
    public required long MemoryBytes { get; init; }

    /// <summary>
    /// What searches by gain found and cost when the index was calibrated, from the highest threshold on; of an index of lists what
    /// searches of more and more lists found and cost. Empty if it was not.
    /// </summary>
    public required IReadOnlyList<IndexCalibrationPoint> Calibration { get; init; }

    /// <summary>The files.</summary>
    public required IReadOnlyList<IndexFileInfo> Files { get; init; }
}
