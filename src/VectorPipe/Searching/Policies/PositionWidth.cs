namespace VectorPipe.Searching.Policies;

/// <summary>Widens with the length of the list's beginning that has been asked for: the farther it reaches, the less is left that could change what is read next.</summary>
/// <remarks>The static alternative of PipeANN (OSDI'25) to a width that follows the waste.</remarks>
internal sealed class PositionWidth : IWidthPolicy
{
    private const int CandidatesPerStep = 10;

    private int _most;

    /// <summary>Reads in flight, step by step.</summary>
    public static ReadOnlySpan<byte> Steps => [4, 8, 16, 24, 32];

    /// <inheritdoc/>
    public void Begin(int most) => _most = most;

    /// <inheritdoc/>
    public int Width(Frontier frontier) => Math.Min(_most, Steps[Math.Min(frontier.Position / CandidatesPerStep, Steps.Length - 1)]);
}
