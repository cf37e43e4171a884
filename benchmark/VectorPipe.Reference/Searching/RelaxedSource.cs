using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Creates policies of a patience above 0.</summary>
internal sealed record RelaxedSource(float Patience) : IPolicySource<IPagePolicy>
{
    public IPagePolicy Create() => new RelaxedPolicy(Patience);
}
