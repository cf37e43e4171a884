namespace VectorPipe.Diagnostics;

/// <summary>What an operation brought, and what it cost.</summary>
/// <param name="Rows">Records that came back; null for a write.</param>
/// <param name="Search">The cost of a search; null for other operations.</param>
internal readonly record struct OperationCost(int? Rows, SearchStatistics? Search);
