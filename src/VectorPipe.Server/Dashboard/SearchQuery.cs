using System.Text.Json.Serialization;

namespace VectorPipe.Server.Dashboard;

/// <summary>What a page asks to be searched for: the parameters of a GET, or the body of a POST.</summary>
[JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Disallow)]
internal sealed record SearchQuery
{
    /// <summary>The name of the set.</summary>
    public string? Set { get; init; }

    /// <summary>The element whose vector is the query; null if a vector is given.</summary>
    public string? Element { get; init; }

    /// <summary>The query; null if an element is given.</summary>
    public float[]? Vector { get; init; }

    /// <summary>Hits.</summary>
    public int? Count { get; init; }

    /// <summary>The recall to aim at; null for that of the server.</summary>
    public float? Recall { get; init; }

    /// <summary>Which elements may be hits; null for all.</summary>
    public string? Filter { get; init; }
}
