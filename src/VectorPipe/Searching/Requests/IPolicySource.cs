namespace VectorPipe.Searching.Requests;

/// <summary>Makes a policy for every query slot that is to use it.</summary>
/// <remarks>Immutable. A slot keeps the policy for as long as its queries come with an equal source.</remarks>
/// <typeparam name="TPolicy">Kind of policy.</typeparam>
internal interface IPolicySource<out TPolicy>
{
    /// <summary>Makes a policy.</summary>
    TPolicy Create();
}
