namespace VectorPipe.Tests.Faults;

/// <summary>A query by its number, and how it is searched for.</summary>
internal readonly record struct SearchCase(int Query, SearchMode Mode);
