namespace VectorPipe.Searching.Requests;

/// <summary>Receives one of the best candidates of a search at its end, by both distances, and the query's squared norm.</summary>
internal delegate void CandidateProbe(float codeDistance, float exactDistance, float querySquaredNorm);
