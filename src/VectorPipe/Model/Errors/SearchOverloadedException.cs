namespace VectorPipe;

/// <summary>Too many requests wait already, see <see cref="OpenOptions.MaxQueuedQueries"/>,
/// <see cref="VectorPipeTenantOptions.MaxQueuedQueries"/> and <see cref="VectorPipeEngineOptions.MaxQueuedQueries"/>.</summary>
public sealed class SearchOverloadedException : VectorPipeException
{
    /// <summary>Creates an error without details.</summary>
    public SearchOverloadedException()
    {
    }

    /// <summary>Creates an error with a message.</summary>
    /// <param name="message">The limit, the number found, and the remedy.</param>
    public SearchOverloadedException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with a message and its cause.</summary>
    /// <param name="message">The limit, the number found, and the remedy.</param>
    /// <param name="innerException">The cause.</param>
    public SearchOverloadedException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    internal SearchOverloadedException(int limit, int queued, string options, string? tenant = null)
        : base($"Expected fewer than {limit} searches and look-ups to wait ({options}.{nameof(OpenOptions.MaxQueuedQueries)}"
            + $"{(tenant is null ? "" : $" of \"{tenant}\"")}), found {queued}. Ask again when some have been answered, ask for fewer at "
            + "once, or raise the limit.")
    {
        Limit = limit;
        Queued = queued;
    }

    /// <summary>Most searches and look-ups that may wait.</summary>
    public int Limit { get; }

    /// <summary>Searches and look-ups that waited when this one was refused.</summary>
    public int Queued { get; }
}
