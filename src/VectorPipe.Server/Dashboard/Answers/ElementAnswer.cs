namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>An element by chance.</summary>
/// <param name="Element">Its name; null if the set has none.</param>
internal sealed record ElementAnswer(string? Element);
