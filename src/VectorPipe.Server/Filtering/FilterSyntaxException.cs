namespace VectorPipe.Server.Filtering;

/// <summary>A text is no filter.</summary>
/// <param name="rest">The text from where it is none.</param>
internal sealed class FilterSyntaxException(string rest) : Exception("syntax error in FILTER expression near: " + rest)
{
    public string Rest { get; } = rest;
}
