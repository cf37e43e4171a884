namespace VectorPipe.Tool.Explaining;

/// <summary>A figure of a search.</summary>
/// <param name="Id">Its name in the document.</param>
internal readonly record struct SearchFact(string Id, string Name, string Value);
