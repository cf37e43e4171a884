namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>A hit.</summary>
/// <param name="Score">As the commands of vector sets give it.</param>
/// <param name="IsTrue">It is among the true nearest, or as near as the farthest of them; null if they are not known.</param>
/// <param name="Attributes">The begin of its attributes; null for none.</param>
internal sealed record HitFacts(string Element, double Score, bool? IsTrue, string? Attributes);
