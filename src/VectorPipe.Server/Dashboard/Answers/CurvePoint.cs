namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>A query at a target recall.</summary>
/// <param name="Recall">The recall of this query; null if the exact search was ended early.</param>
internal sealed record CurvePoint(float TargetRecall, double? Recall, SearchCost Cost);
