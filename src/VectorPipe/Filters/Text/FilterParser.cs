using VectorPipe.Filters.Algebra;

namespace VectorPipe.Filters.Text;

/// <summary>Reads a filter from its text: one pass, with a stack of its own.</summary>
internal sealed class FilterParser
{
    private readonly Lexer _lexer;
    private readonly Stack<OpenGroup> _open = new();
    private Token _token;
    private int _depth;
    private int _termPosition;

    private FilterParser(string text)
    {
        _lexer = new Lexer(text);
        _token = _lexer.Next();
    }

    /// <summary>Parses a whole text.</summary>
    /// <exception cref="InvalidFilterException">The text is no filter; the message says where.</exception>
    public static FilterNode Parse(string text)
    {
        var parser = new FilterParser(text);
        try
        {
            return parser.ParseAll();
        }
        catch (InvalidFilterException e) when (e.Position is null)
        {
            // Values that do not go together are found where the filter is made, which knows no text.
            int position = parser._termPosition;
            throw new InvalidFilterException($"{e.Message} See position {position} of the filter.", e) { Position = position };
        }
    }

    private FilterNode ParseAll()
    {
        _open.Push(new OpenGroup(0, IsNegated: false, Nots: 0));
        while (true)
        {
            int nots = ParseNots();
            if (_token.Kind == TokenKind.Open)
            {
                RequireDepth(_depth + nots + 1);
                _depth += nots + 1;
                _open.Push(new OpenGroup(_token.Position, nots % 2 == 1, nots));
                Advance();
                continue;
            }

            FilterNode node = ParseTerm();
            _open.Peek().Add(nots % 2 == 1 ? node.Negate() : node);
            while (_token.Kind == TokenKind.Close && _open.Count > 1)
                CloseGroup();
            if (_token.Kind == TokenKind.End && _open.Count == 1)
                return _open.Pop().ToNode();
            if (_token.Is(Keywords.Or))
                _open.Peek().EndAnd();
            else if (!_token.Is(Keywords.And))
                throw Unexpected(
                    _open.Count > 1 ? $"'and', 'or', or the ')' of the '(' at {_open.Peek().Position}" : "'and', 'or' or the end");
            Advance();
        }
    }

    private int ParseNots()
    {
        int nots = 0;
        while (_token.Is(Keywords.Not))
        {
            RequireDepth(_depth + ++nots);
            Advance();
        }

        return nots;
    }

    private void CloseGroup()
    {
        OpenGroup closed = _open.Pop();
        _depth -= closed.Nots + 1;
        FilterNode node = closed.ToNode();
        _open.Peek().Add(closed.IsNegated ? node.Negate() : node);
        Advance();
    }

    private FilterNode ParseTerm()
    {
        Token first = _token;
        _termPosition = first.Position;
        if (first.Is(Keywords.Exists))
        {
            Advance();
            return Comparisons.Exists(TakeName());
        }

        if (first.Value.Type == AttributeType.Boolean)
        {
            Advance();
            return ConstantNode.Of(first.Value.AsBoolean());
        }

        return ParseComparison(TakeName());
    }

    private FilterNode ParseComparison(string attribute)
    {
        Token symbol = _token;
        if (symbol.Kind is not (TokenKind.Operator or TokenKind.Keyword))
            throw Unexpected(Operators);
        Advance();
        switch (symbol.Text)
        {
            case "==":
                return Comparisons.Equal(attribute, TakeValue());
            case "!=":
                return Comparisons.NotEqual(attribute, TakeValue());
            case "<":
                return Comparisons.LessThan(attribute, TakeValue());
            case "<=":
                return Comparisons.LessThanOrEqual(attribute, TakeValue());
            case ">":
                return Comparisons.GreaterThan(attribute, TakeValue());
            case ">=":
                return Comparisons.GreaterThanOrEqual(attribute, TakeValue());
            case Keywords.Between:
                AttributeValue low = TakeValue();
                if (!_token.Is(Keywords.And))
                    throw Unexpected("'and' and the upper end of the range");
                Advance();
                return Comparisons.Between(attribute, low, TakeValue());
            case Keywords.In:
                return Comparisons.In(attribute, TakeList(TakeValue));
            case Keywords.StartsWith:
                return Comparisons.StartsWith(attribute, TakeText());
            case Keywords.Contains:
                return Comparisons.Contains(attribute, [TakeText()], isAll: false);
            case Keywords.ContainsAny:
                return Comparisons.Contains(attribute, TakeList(TakeText), isAll: false);
            case Keywords.ContainsAll:
                return Comparisons.Contains(attribute, TakeList(TakeText), isAll: true);
            default:
                throw Lexer.Error(symbol.Position, Operators, _lexer.Shown(symbol.Position, symbol.Length));
        }
    }

    private static string Operators =>
        "a comparison: ==, !=, <, <=, >, >=, between, in, starts_with, contains, contains_any or contains_all";

    private string TakeName()
    {
        if (_token.Kind == TokenKind.Keyword)
            throw Unexpected($"a comparison (an attribute of this name is written [{_token.Text}])");
        if (_token.Kind != TokenKind.Name)
            throw Unexpected("the name of an attribute, 'not', 'exists' or '('");
        string name = _token.Text;
        Advance();
        return name;
    }

    private AttributeValue TakeValue()
    {
        if (_token.Kind != TokenKind.Value)
            throw Unexpected("a value: a number, a text in quotes, true, false, time'...' or guid'...'");
        AttributeValue value = _token.Value;
        Advance();
        return value;
    }

    private string TakeText()
    {
        if (_token.Value.Type != AttributeType.String)
            throw Unexpected("a text in quotes");
        string text = _token.Value.AsString();
        Advance();
        return text;
    }

    private List<T> TakeList<T>(Func<T> take)
    {
        if (_token.Kind != TokenKind.Open)
            throw Unexpected("'(' and a list of values");
        var list = new List<T>();
        do
        {
            Advance();
            list.Add(take());
        }
        while (_token.Kind == TokenKind.Comma);

        if (_token.Kind != TokenKind.Close)
            throw Unexpected("',' or ')'");
        Advance();
        return list;
    }

    private void Advance() => _token = _lexer.Next();

    private void RequireDepth(int depth)
    {
        if (depth > FilterLimits.MaxDepth)
            throw Lexer.Error(_token.Position, $"at most {FilterLimits.MaxDepth} levels of '(' and 'not'", "one more");
    }

    private InvalidFilterException Unexpected(string expected) => Lexer.Error(
        _token.Position, expected, _token.Kind == TokenKind.End ? "the end" : _lexer.Shown(_token.Position, _token.Length));
}
