namespace VectorPipe.Filters.Algebra;

/// <summary>Limits of filters and of their texts.</summary>
internal static class FilterLimits
{
    /// <summary>Longest text, in bytes of UTF-8.</summary>
    public const int MaxTextBytes = 16 << 10;

    /// <summary>Most tokens of a text.</summary>
    public const int MaxTokens = 4096;

    /// <summary>Most levels: of groups within groups, and of parentheses and <c>not</c> in a text. Walks of a filter may recur.</summary>
    public const int MaxDepth = 64;
}
