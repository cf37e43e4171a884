namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>All sets, and what holds for them together.</summary>
/// <param name="TargetRecall">The recall at which searches aim that say nothing.</param>
internal sealed record SetsAnswer(float TargetRecall, IReadOnlyList<SetFacts> Sets);
