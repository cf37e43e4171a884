namespace VectorPipe.Bench.Filters;

/// <summary>Generated filters of one shape: each query has one of them. Immutable.</summary>
/// <param name="Shape">Name of the shape: none, random, own, far, range or and.</param>
/// <param name="Share">The share of rows that a filter selects, about.</param>
/// <param name="GroupOf">The filter of each query.</param>
/// <param name="Selects">Whether a filter selects a row.</param>
internal sealed record FilterCase(string Shape, double Share, int[] GroupOf, Func<int, int, bool> Selects);
