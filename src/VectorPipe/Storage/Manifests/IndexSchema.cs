using VectorPipe.Model;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Storage.Manifests;

/// <summary>The content of an index and the parameters of its build; fixed when it is written.</summary>
internal sealed record IndexSchema
{
    public required DistanceMetric Metric { get; init; }

    /// <summary>Type of a component of the original vectors, and of queries.</summary>
    public required VectorElementType ElementType { get; init; }

    public required int Dimension { get; init; }

    /// <summary>Nodes.</summary>
    public required long Count { get; init; }

    /// <summary>R: the most links of a node.</summary>
    public required int MaxDegree { get; init; }

    public required int CodeBytes { get; init; }
    public CodeKind Code { get; init; } = CodeKind.Pq;

    /// <summary>Internal id of the node at which a search enters.</summary>
    public required long EntryPoint { get; init; }

    /// <summary>L of the build; 0 for an import.</summary>
    public required int BuildListSize { get; init; }

    /// <summary>Alpha of the build; 0 for an import.</summary>
    public required float Alpha { get; init; }

    /// <summary>Seed of the build; 0 for an import.</summary>
    public required ulong Seed { get; init; }

    /// <summary>Mean out-degree of the graph.</summary>
    public required float MeanDegree { get; init; }

    /// <summary>The division of pages in the merged layout; null for the plain layout.</summary>
    public MergedPageLayout? Merged { get; init; }

    /// <summary>The division of an IVF index; null for a graph.</summary>
    public IvfShape? Lists { get; init; }

    public IIndexShape Shape => (IIndexShape?)Lists ?? (IIndexShape?)Merged ?? PlainShape.Instance;

    /// <summary>Internal ids are below this: the number of nodes, and of the free slots before the last of them.</summary>
    public long IdCount => Shape.IdCount(this);

    /// <summary>Pages of the node file, the header not counted.</summary>
    public long NodePages => Shape.NodePages(this);

    /// <summary>Whether nodes may be added.</summary>
    public bool HasRoom => Merged?.HasRoom(Count) == true;

    /// <summary>Whether pages may follow in a file that checkpoints added.</summary>
    public bool MayGrow(FileRole role) => HasRoom && role is FileRole.Nodes or FileRole.Keys;

    /// <summary>Bytes of an original vector.</summary>
    public int VectorBytes => Dimension * ElementType.SizeInBytes();

    /// <summary>Whether pages hold the original vectors rounded.</summary>
    public bool IsRounded => Shape.Stored is not null;

    /// <summary>The nodes of a graph with lower internal ids, see <see cref="MergedPageLayout.PositionOf"/>.</summary>
    public long PositionOf(long id) => Merged?.PositionOf(id) ?? id;

    /// <summary>The node of a position, see <see cref="MergedPageLayout.IdOf"/>.</summary>
    public long IdOf(long position) => Merged?.IdOf(position) ?? position;

    public NodeLayout CreateLayout() => Shape.CreateLayout(this);
}
