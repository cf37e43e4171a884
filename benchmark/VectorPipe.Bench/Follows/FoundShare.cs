namespace VectorPipe.Bench.Follows;

/// <summary>What searches find, and what it costs.</summary>
/// <param name="Recall">Share of the true neighbours; ties count.</param>
/// <param name="Reads">Mean reads per query.</param>
internal readonly record struct FoundShare(double Recall, double Reads);
