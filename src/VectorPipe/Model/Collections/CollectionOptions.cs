using VectorPipe.Model.Collections;

namespace VectorPipe;

/// <summary>How a collection is opened. Immutable.</summary>
public sealed record CollectionOptions
{
    /// <summary>When a write is acknowledged. Default: group commit.</summary>
    public Durability Durability { get; init; }

    /// <summary>Whether to create the collection if the directory holds none. Default: yes.</summary>
    public bool CreateIfMissing { get; init; } = true;

    /// <summary>Whether to open it for reading alone. Default: no.</summary>
    /// <remarks>
    /// Any number of processes may read beside one that writes. They see the collection as it was when they opened it.
    /// </remarks>
    public bool ReadOnly { get; init; }

    /// <summary>How the index inside is searched: threads, cache, messages. Default: null, its defaults.</summary>
    /// <remarks>
    /// A device of the program's own, <see cref="OpenOptions.OpenDevice"/>, is refused: a collection writes its files itself.
    /// </remarks>
    public OpenOptions? Open { get; init; }

    /// <summary>How the index inside is built. Default: null, its defaults. The metric is that of the schema, and IVF is refused.</summary>
    public BuildOptions? Build { get; init; }

    /// <summary>Sizes that tests make small.</summary>
    internal CollectionTuning Tuning { get; init; } = new();
}
