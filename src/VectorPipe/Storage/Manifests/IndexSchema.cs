using VectorPipe.Model;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Storage.Manifests;

/// <summary>What an index holds and how it was built: fixed when it is written.</summary>
internal sealed record IndexSchema
{
    /// <summary>How near vectors are.</summary>
    public required DistanceMetric Metric { get; init; }

    /// <summary>Type of a component of the vectors as they were given, and of queries.</summary>
    public required VectorElementType ElementType { get; init; }

    /// <summary>Components of a vector.</summary>
    public required int Dimension { get; init; }

    /// <summary>Nodes.</summary>
    public required long Count { get; init; }

    /// <summary>R: most links of a node.</summary>
    public required int MaxDegree { get; init; }

    /// <summary>Bytes of a compressed code.</summary>
    public required int CodeBytes { get; init; }

    /// <summary>How codes are made.</summary>
    public CodeKind Code { get; init; } = CodeKind.Pq;

    /// <summary>Internal id of the node at which a search enters.</summary>
    public required long EntryPoint { get; init; }

    /// <summary>L of the build; 0 if the index was imported.</summary>
    public required int BuildListSize { get; init; }

    /// <summary>Alpha of the build; 0 if the index was imported.</summary>
    public required float Alpha { get; init; }

    /// <summary>Seed of the build; 0 if the index was imported.</summary>
    public required ulong Seed { get; init; }

    /// <summary>Mean out-degree of the graph.</summary>
    public required float MeanDegree { get; init; }

    /// <summary>How pages are divided in the merged layout; null for the plain layout.</summary>
    public MergedPageLayout? Merged { get; init; }

    /// <summary>How an index of lists is divided; null for one that is a graph.</summary>
    public IvfShape? Lists { get; init; }

    /// <summary>How the files are divided.</summary>
    public IIndexShape Shape => (IIndexShape?)Lists ?? (IIndexShape?)Merged ?? PlainShape.Instance;

    /// <summary>Internal ids are below this: as many as nodes, or in an index of lists as many as its pages have room for.</summary>
    public long IdCount => Shape.IdCount(this);

    /// <summary>Pages of the node file, the header not counted.</summary>
    public long NodePages => Shape.NodePages(this);

    /// <summary>Bytes of a vector as it was given.</summary>
    public int VectorBytes => Dimension * ElementType.SizeInBytes();

    /// <summary>Whether pages hold vectors in another form than they were given.</summary>
    public bool IsRounded => Shape.Stored is not null;

    /// <summary>The layout of the node file.</summary>
    public NodeLayout CreateLayout() => Shape.CreateLayout(this);
}
