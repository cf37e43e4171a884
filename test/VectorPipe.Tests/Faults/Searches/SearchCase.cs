namespace VectorPipe.Tests.Faults.Searches;

/// <summary>The number of a query, and the mode of its search.</summary>
internal readonly record struct SearchCase(int Query, SearchMode Mode);
