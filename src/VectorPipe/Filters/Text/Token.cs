namespace VectorPipe.Filters.Text;

/// <summary>A word, a sign or a value in the text of a filter.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Position">Where it starts.</param>
/// <param name="Length">Its length in the text.</param>
/// <param name="Text">Name, keyword or operator, without brackets and escapes.</param>
/// <param name="Value">The value of a literal; without a type otherwise.</param>
internal readonly record struct Token(TokenKind Kind, int Position, int Length, string Text = "", AttributeValue Value = default)
{
    /// <summary>Whether it is this keyword.</summary>
    public bool Is(string keyword) => Kind == TokenKind.Keyword && Text == keyword;
}
