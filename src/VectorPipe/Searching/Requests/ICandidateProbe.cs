namespace VectorPipe.Searching.Requests;

/// <summary>Receives the candidates of every search at its end, with code distances and exact distances.</summary>
internal interface ICandidateProbe
{
    /// <summary>Most candidates of a search: the best by code.</summary>
    int Wanted { get; }

    /// <summary>Takes a candidate whose exact distance is known.</summary>
    void Add(float codeDistance, float exactDistance, float querySquaredNorm);
}
