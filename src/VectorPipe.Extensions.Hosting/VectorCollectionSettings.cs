namespace VectorPipe.Extensions.Hosting;

/// <summary>A collection of a host, as configuration has it. It is validated when the host starts.</summary>
public sealed class VectorCollectionSettings
{
    /// <summary>Directory of the collection; required. It is created if it does not exist, unless <see cref="ReadOnly"/>.</summary>
    public string Directory { get; set; } = "";

    /// <summary>Components of a vector, 1 to 32,768; required.</summary>
    public int Dimension { get; set; }

    /// <summary>The distance. Default: cosine.</summary>
    public DistanceMetric Metric { get; set; } = DistanceMetric.Cosine;

    /// <summary>Type of a component. Default: float32.</summary>
    public VectorElementType ElementType { get; set; } = VectorElementType.Float32;

    /// <summary>Names and types of the attributes, at most 64. They are put in the order of their names. Default: none.</summary>
    public IDictionary<string, AttributeType> Attributes { get; } = new Dictionary<string, AttributeType>(StringComparer.Ordinal);

    /// <summary>When a write is acknowledged. Default: when it is on disk, together with others.</summary>
    public Durability Durability { get; set; } = Durability.GroupCommit;

    /// <summary>Whether the collection is opened for reading, beside a process that writes. Default: no.</summary>
    public bool ReadOnly { get; set; }

    /// <summary>Bytes of memory for pages that searches read often. Default: 0.</summary>
    public long CacheBytes { get; set; }

    /// <summary>Whether target recalls follow the queries that come, see <see cref="OpenOptions.FollowQueries"/>. Default: no.</summary>
    public bool FollowQueries { get; set; }

    /// <summary>Name of the part of the engine that it belongs to, one of <see cref="VectorPipeEngineSettings.Tenants"/>. Default: null,
    /// none.</summary>
    public string? Tenant { get; set; }

    internal CollectionSchema ToSchema() => new()
    {
        Dimension = Dimension,
        Metric = Metric,
        ElementType = ElementType,
        Attributes =
        [
            .. Attributes.OrderBy(attribute => attribute.Key, StringComparer.Ordinal)
                .Select(attribute => new AttributeDefinition(attribute.Key, attribute.Value)),
        ],
    };
}
