namespace VectorPipe.Model.Build;

/// <summary>Settings of a build for benchmarks and tests.</summary>
internal sealed record BuildTuning
{
    /// <summary>L of the build's searches, unless the degree is larger.</summary>
    public const int DefaultListSize = 100;

    /// <summary>How much nearer a neighbour must be for a link to be left out.</summary>
    public const float DefaultAlpha = 1.2f;

    /// <summary>The phases of the build; null for those that the options ask for.</summary>
    public IBuildSeam? Recipe { get; init; }

    /// <summary>How much nearer a neighbour must be for a link to be left out, 1 to 2; null for <see cref="DefaultAlpha"/>.</summary>
    public float? Alpha { get; init; }

    /// <summary>
    /// Candidates that the build's own searches keep: at least the degree, at most 4,096; null for <see cref="DefaultListSize"/> or the
    /// degree.
    /// </summary>
    public int? ListSize { get; init; }

    /// <summary>How vectors are compressed.</summary>
    public CodeKind Code { get; init; } = CodeKind.Opq;

    /// <summary>Bytes of a code, 1 to the dimension, at most 1,024; null for the memory of a vector less its links.</summary>
    public int? CodeBytes { get; init; }

    /// <summary>Nodes of a page, 1 to 4,096; null for as many as fit with 55 links each, and of ten or more three quarters.</summary>
    public int? NodesPerPage { get; init; }

    /// <summary>Vectors of other pages that a page repeats, 0 to 4,096; null for two in the place of every node that would fit.</summary>
    public int? ReplicasPerPage { get; init; }

    /// <summary>Whether pages, and the ids of links, have room for nodes that are inserted later.</summary>
    public bool WithRoom { get; init; }

    /// <summary>
    /// Bytes of memory of a vector's share of the page graph, 0 to 64; null for the memory of a vector less its code.
    /// </summary>
    public double? PageGraphBytes { get; init; }
}
