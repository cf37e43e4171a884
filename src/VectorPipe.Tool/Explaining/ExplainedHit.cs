namespace VectorPipe.Tool.Explaining;

/// <summary>A hit as the page shows it.</summary>
internal readonly record struct ExplainedHit(string Key, float Score);
