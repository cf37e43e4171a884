namespace VectorPipe.Filters.Text;

/// <summary>Kinds of tokens in the text of a filter.</summary>
internal enum TokenKind
{
    End,
    Name,
    Keyword,
    Operator,
    Open,
    Close,
    Comma,
    Value,
}
