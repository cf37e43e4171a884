namespace VectorPipe.Searching.Requests;

/// <summary>Makes policies that have no settings.</summary>
internal sealed record PolicySource<TPolicy> : IPolicySource<TPolicy>
    where TPolicy : class, new()
{
    public TPolicy Create() => new();
}
