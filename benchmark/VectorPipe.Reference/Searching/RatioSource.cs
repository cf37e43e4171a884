using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Makes policies that go by ratio.</summary>
/// <param name="Ratio">The ratio, above 0.</param>
internal sealed record RatioSource(float Ratio) : IPolicySource<IPagePolicy>
{
    /// <inheritdoc/>
    public IPagePolicy Create() => new RatioPolicy(Ratio);
}
