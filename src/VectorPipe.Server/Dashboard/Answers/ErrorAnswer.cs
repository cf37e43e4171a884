namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>What is wrong with a request.</summary>
/// <param name="Error">What was expected, and what was found.</param>
internal sealed record ErrorAnswer(string Error);
