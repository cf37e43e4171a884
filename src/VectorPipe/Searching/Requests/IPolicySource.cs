namespace VectorPipe.Searching.Requests;

/// <summary>Makes a policy for each query slot.</summary>
/// <remarks>Immutable. A slot keeps the policy while its queries come with an equal source.</remarks>
internal interface IPolicySource<out TPolicy>
{
    TPolicy Create();
}
