namespace VectorPipe.Searching.Requests;

/// <summary>Is told, when a search has ended, what its candidates looked like by code and what they are.</summary>
internal interface ICandidateProbe
{
    /// <summary>Candidates of a search that are wanted, at most: the best by code.</summary>
    int Wanted { get; }

    /// <summary>Takes a candidate whose exact distance is known.</summary>
    /// <param name="codeDistance">Its code distance.</param>
    /// <param name="exactDistance">Its exact distance.</param>
    /// <param name="querySquaredNorm">The query's squared norm, in the form that codes are made of.</param>
    void Add(float codeDistance, float exactDistance, float querySquaredNorm);
}
