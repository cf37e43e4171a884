namespace VectorPipe.Tests.Filters;

/// <summary>A member of a model that is an enum.</summary>
public enum BookKind
{
    None,
    Novel,
    Poem,
}
