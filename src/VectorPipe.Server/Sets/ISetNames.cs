namespace VectorPipe.Server.Sets;

/// <summary>The sets that clients see, by name: those of this server, or those of its cluster. Thread-safe.</summary>
internal interface ISetNames
{
    /// <summary>The names of all sets.</summary>
    IReadOnlyCollection<string> Names { get; }

    /// <summary>The number of sets.</summary>
    int Count { get; }

    /// <summary>Whether there is a set.</summary>
    bool Contains(string name);

    /// <summary>Removes a set with all its elements.</summary>
    /// <returns>Whether there was one.</returns>
    Task<bool> RemoveAsync(string name);
}
