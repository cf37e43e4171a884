namespace VectorPipe.Server.Filtering;

/// <summary>The kinds of values in filters.</summary>
internal enum FilterValueKind
{
    Null,
    Number,
    Text,
    Tuple,
}
