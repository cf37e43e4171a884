using System.Globalization;
using System.Text;

namespace VectorPipe.Server.Filtering;

/// <summary>Reads the filters of vector sets: <c>.year &gt;= 1980 and .genre in ["drama", "comedy"]</c>.</summary>
/// <remarks>
/// The language is that of Redis (https://redis.io/docs/latest/develop/data-types/vector-sets/filtered-search): fields of the top level
/// of an element's JSON, numbers, texts, arrays of both, operators and parentheses. <c>not</c> binds stronger than all, <c>**</c> takes
/// its right side first.
/// </remarks>
internal ref struct FilterParser(string text, List<string> fields)
{
    // Each level takes some stack.
    private const int MostLevels = 100;

    // A chain of operators is as deep as it is long, and each element is asked about all fields.
    private const int MostOperators = 1000;
    private const int MostFields = 64;

    private readonly string _text = text;
    private readonly List<string> _fields = fields;
    private int _at;
    private int _levels;
    private int _operators;

    /// <summary>Reads the whole text.</summary>
    /// <exception cref="FilterSyntaxException">It is no filter.</exception>
    public FilterNode Parse()
    {
        FilterNode node = ParseFrom(0);
        SkipBlanks();
        return _at == _text.Length ? node : throw Wrong();
    }

    // Operators of a strength or more.
    private FilterNode ParseFrom(int strength)
    {
        if (++_levels > MostLevels)
            throw Wrong();
        FilterNode left = ParseOperand();
        while (PeekOperator() is { } found && found.Strength >= strength)
        {
            if (++_operators > MostOperators)
                throw Wrong();
            _at += found.Name.Length;
            left = new FilterNode.Binary(found, left, ParseFrom(found.Strength + (found.IsRightFirst ? 0 : 1)));
        }

        _levels--;
        return left;
    }

    private FilterNode ParseOperand()
    {
        SkipBlanks();
        char next = Peek();
        if (next == '!' || IsWord("not"))
        {
            _at += next == '!' ? 1 : 3;
            return new FilterNode.Not(ParseFrom(FilterOperator.NotStrength));
        }

        if (next == '(')
        {
            _at++;
            FilterNode inner = ParseFrom(0);
            SkipBlanks();
            if (Peek() != ')')
                throw Wrong();
            _at++;
            return inner;
        }

        if (next == '.' && IsFieldCharacter(Peek(1)))
            return ParseField();
        if (IsWord("null"))
        {
            _at += 4;
            return new FilterNode.Constant(FilterValue.Null);
        }

        return new FilterNode.Constant(next == '[' ? ParseTuple() : ParseConstant());
    }

    private FilterNode.Field ParseField()
    {
        int start = ++_at;
        while (IsFieldCharacter(Peek()))
            _at++;
        string name = _text[start.._at];
        int number = _fields.IndexOf(name);
        if (number < 0)
        {
            if (_fields.Count == MostFields)
                throw Wrong();
            number = _fields.Count;
            _fields.Add(name);
        }

        return new FilterNode.Field(number);
    }

    private FilterValue ParseTuple()
    {
        var items = new List<FilterValue>();
        _at++;
        SkipBlanks();
        while (Peek() != ']')
        {
            items.Add(ParseConstant());
            SkipBlanks();
            if (Peek() == ']')
                break;
            if (Peek() != ',')
                throw Wrong();
            _at++;
            SkipBlanks();
        }

        _at++;
        return FilterValue.Of([.. items]);
    }

    private FilterValue ParseConstant()
    {
        char next = Peek();
        if (next is '"' or '\'')
            return FilterValue.Of(ParseText(next));
        if (!char.IsAsciiDigit(next) && !(next == '-' && char.IsAsciiDigit(Peek(1))))
            throw Wrong();
        int start = _at++;
        while (char.IsAsciiDigit(Peek()) || Peek() is '.' or 'e' or 'E' || (Peek() is '-' or '+' && _text[_at - 1] is 'e' or 'E'))
            _at++;
        if (double.TryParse(_text.AsSpan(start, _at - start), NumberStyles.Float, CultureInfo.InvariantCulture, out double number))
            return FilterValue.Of(number);
        _at = start;
        throw Wrong();
    }

    private string ParseText(char mark)
    {
        int start = _at++;
        var text = new StringBuilder();
        for (; _at < _text.Length; _at++)
        {
            if (_text[_at] == mark)
            {
                _at++;
                return text.ToString();
            }

            if (_text[_at] == '\\' && _at + 1 < _text.Length)
                _at++;
            text.Append(_text[_at]);
        }

        _at = start;
        throw Wrong();
    }

    // The longest operator here.
    private FilterOperator? PeekOperator()
    {
        SkipBlanks();
        FilterOperator? longest = null;
        foreach (FilterOperator one in FilterOperator.All)
        {
            bool isHere = char.IsAsciiLetter(one.Name[0])
                ? IsWord(one.Name)
                : string.CompareOrdinal(_text, _at, one.Name, 0, one.Name.Length) == 0;
            if (isHere && one.Name.Length > (longest?.Name.Length ?? 0))
                longest = one;
        }

        return longest;
    }

    private readonly bool IsWord(string word) =>
        string.CompareOrdinal(_text, _at, word, 0, word.Length) == 0 && !char.IsAsciiLetterOrDigit(Peek(word.Length));

    private static bool IsFieldCharacter(char character) => char.IsAsciiLetterOrDigit(character) || character is '_' or '-';

    private readonly char Peek(int ahead = 0) => _at + ahead < _text.Length ? _text[_at + ahead] : '\0';

    private void SkipBlanks()
    {
        while (_at < _text.Length && char.IsWhiteSpace(_text[_at]))
            _at++;
    }

    private readonly FilterSyntaxException Wrong() => new(_text[_at..]);
}
