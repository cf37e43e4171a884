namespace VectorPipe.Tests.Faults.Searches;

/// <summary>A query by its number, and how it is searched for.</summary>
internal readonly record struct SearchCase(int Query, SearchMode Mode);
