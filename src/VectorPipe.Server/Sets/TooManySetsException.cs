namespace VectorPipe.Server.Sets;

/// <summary>There are as many sets as there may be.</summary>
internal sealed class TooManySetsException(int most)
    : Exception($"maximum number of sets reached: expected at most {most}, see --maxsets");
