namespace VectorPipe;

/// <summary>An index does not fit within the memory of its engine or tenant, see
/// <see cref="VectorPipeEngineOptions.MemoryLimitBytes"/> and <see cref="VectorPipeTenantOptions.MemoryLimitBytes"/>.</summary>
public sealed class MemoryLimitException : VectorPipeException
{
    /// <summary>Creates an error without details.</summary>
    public MemoryLimitException()
    {
    }

    /// <summary>Creates an error with a message.</summary>
    /// <param name="message">The limit, what is taken, and what is needed.</param>
    public MemoryLimitException(string message)
        : base(message)
    {
    }

    /// <summary>Creates an error with a message and its cause.</summary>
    /// <param name="message">The limit, what is taken, and what is needed.</param>
    /// <param name="innerException">The cause.</param>
    public MemoryLimitException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
