namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>One query at several target recalls.</summary>
internal sealed record CurveAnswer(IReadOnlyList<CurvePoint> Points);
