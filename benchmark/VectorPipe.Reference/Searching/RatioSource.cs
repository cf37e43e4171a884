using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Creates policies of a ratio above 0.</summary>
internal sealed record RatioSource(float Ratio) : IPolicySource<IPagePolicy>
{
    public IPagePolicy Create() => new RatioPolicy(Ratio);
}
