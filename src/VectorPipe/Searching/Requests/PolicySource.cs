namespace VectorPipe.Searching.Requests;

/// <summary>Makes policies that have no settings.</summary>
/// <typeparam name="TPolicy">The policy.</typeparam>
internal sealed record PolicySource<TPolicy> : IPolicySource<TPolicy>
    where TPolicy : class, new()
{
    /// <inheritdoc/>
    public TPolicy Create() => new();
}
