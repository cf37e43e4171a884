using VectorPipe.Searching.Requests;

namespace VectorPipe.Reference.Searching;

/// <summary>Makes policies of relaxed monotonicity.</summary>
/// <param name="Patience">Pages that may bring nothing, one after another; above 0.</param>
internal sealed record RelaxedSource(float Patience) : IPolicySource<IPagePolicy>
{
    /// <inheritdoc/>
    public IPagePolicy Create() => new RelaxedPolicy(Patience);
}
