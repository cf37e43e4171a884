using System.Globalization;
using System.Text;
using VectorPipe.Filters.Algebra;

namespace VectorPipe.Filters.Text;

/// <summary>Cuts the text of a filter into tokens.</summary>
internal sealed class Lexer
{
    private static readonly string[] _timeFormats = ["yyyy-MM-dd", "yyyy-MM-dd'T'HH:mmK", "yyyy-MM-dd'T'HH:mm:ss.FFFFFFFK"];

    private readonly string _text;
    private int _at;
    private int _tokens;

    /// <exception cref="InvalidFilterException">The text is too long.</exception>
    public Lexer(string text)
    {
        _text = text;
        if (text.Length > FilterLimits.MaxTextBytes || Encoding.UTF8.GetByteCount(text) > FilterLimits.MaxTextBytes)
            throw new InvalidFilterException(
                $"Text of a filter: expected a text of at most {FilterLimits.MaxTextBytes} bytes of UTF-8, "
                + $"found {Encoding.UTF8.GetByteCount(text)}.")
            {
                Position = text.Length,
            };
    }

    /// <summary>The next token; at the end of the text, one of the kind End.</summary>
    /// <exception cref="InvalidFilterException">There is none, or too many.</exception>
    public Token Next()
    {
        while (_at < _text.Length && char.IsWhiteSpace(_text[_at]))
            _at++;
        int start = _at;
        if (start == _text.Length)
            return new Token(TokenKind.End, start, 0);
        if (++_tokens > FilterLimits.MaxTokens)
            throw Error(start, $"at most {FilterLimits.MaxTokens} words, signs and values", "more");
        char unit = _text[start];
        switch (unit)
        {
            case '(':
                return Sign(TokenKind.Open, 1);
            case ')':
                return Sign(TokenKind.Close, 1);
            case ',':
                return Sign(TokenKind.Comma, 1);
            case '=' or '!' when Unit(start + 1) == '=':
                return Sign(TokenKind.Operator, 2);
            case '<' or '>':
                return Sign(TokenKind.Operator, Unit(start + 1) == '=' ? 2 : 1);
            case '[':
                string name = ReadQuoted(']');
                return new Token(TokenKind.Name, start, _at - start, name);
            case '"' or '\'':
                string text = ReadQuoted(unit);
                return new Token(TokenKind.Value, start, _at - start, Value: text);
        }

        if (unit == '-' || char.IsAsciiDigit(unit))
            return ReadNumber();
        return Keywords.StartsWord(unit) ? ReadWord() : throw Error(start, "a word, a sign or a value", Shown(start, 1));
    }

    /// <summary>The error for a place in the text.</summary>
    /// <param name="position">The place.</param>
    /// <param name="expected">What was expected, in words.</param>
    /// <param name="found">What is there, for the message.</param>
    public static InvalidFilterException Error(int position, string expected, string found) =>
        new($"Text of a filter: expected {expected}, found {found} at position {position}.") { Position = position };

    /// <summary>A part of the text as a message shows it: short, and without control characters.</summary>
    public string Shown(int start, int length)
    {
        const int Longest = 32;
        var shown = new StringBuilder("'");
        foreach (char unit in _text.AsSpan(start, Math.Min(length, Longest)))
            shown.Append(char.IsControl(unit) || char.IsSurrogate(unit) ? $"\\u{(int)unit:X4}" : unit.ToString());
        return shown.Append(length > Longest ? "...'" : "'").ToString();
    }

    private Token Sign(TokenKind kind, int length)
    {
        int start = _at;
        _at += length;
        return new Token(kind, start, length, _text.Substring(start, length));
    }

    private Token ReadWord()
    {
        int start = _at;
        while (_at < _text.Length && Keywords.GoesOnWithWord(_text[_at]))
            _at++;
        string word = _text[start.._at];
        if (Unit(_at) is '"' or '\'' && word is Keywords.Time or Keywords.Guid)
            return ReadTyped(start, isTime: word == Keywords.Time);
        return word switch
        {
            Keywords.True => new Token(TokenKind.Value, start, word.Length, word, true),
            Keywords.False => new Token(TokenKind.Value, start, word.Length, word, false),
            _ => new Token(Keywords.Contain(word) ? TokenKind.Keyword : TokenKind.Name, start, word.Length, word),
        };
    }

    private Token ReadTyped(int start, bool isTime)
    {
        string text = ReadQuoted(_text[_at]);
        int length = _at - start;
        if (isTime)
        {
            return DateTimeOffset.TryParseExact(
                text, _timeFormats, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out DateTimeOffset time)
                ? new Token(TokenKind.Value, start, length, Value: time)
                : throw Error(start, "a time such as time'2024-05-06' or time'2024-05-06T12:30:00Z'", Shown(start, length));
        }

        return Guid.TryParseExact(text, "D", out Guid guid)
            ? new Token(TokenKind.Value, start, length, Value: guid)
            : throw Error(start, "a Guid such as guid'00112233-4455-6677-8899-aabbccddeeff'", Shown(start, length));
    }

    private Token ReadNumber()
    {
        int start = _at;
        _at++;
        while (_at < _text.Length && IsOfNumber(_text[_at]))
            _at++;
        ReadOnlySpan<char> digits = _text.AsSpan(start, _at - start);
        bool isInteger = digits.IndexOfAny('.', 'e', 'E') < 0;
        const NumberStyles Real = NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        if (isInteger && long.TryParse(digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long integer))
            return new Token(TokenKind.Value, start, digits.Length, Value: integer);
        if (!double.TryParse(digits, Real, CultureInfo.InvariantCulture, out double number) || !char.IsAsciiDigit(digits[^1]))
            throw Error(start, "a number", Shown(start, digits.Length));
        if (isInteger)
            throw Error(
                start, "an integer of 64 bits, or a number with a decimal point or an exponent", Shown(start, digits.Length));
        return double.IsFinite(number)
            ? new Token(TokenKind.Value, start, digits.Length, Value: number)
            : throw Error(start, "a finite number", Shown(start, digits.Length));
    }

    // A sign belongs to a number only at its start and after the e of its exponent.
    private bool IsOfNumber(char unit) =>
        Keywords.GoesOnWithWord(unit) || unit == '.' || (unit is '-' or '+' && _text[_at - 1] is 'e' or 'E');

    /// <summary>Reads from a quote or a bracket to the one that closes it.</summary>
    private string ReadQuoted(char closing)
    {
        int start = _at;
        var read = new StringBuilder();
        _at++;
        while (Unit(_at) is { } unit)
        {
            if (unit == closing)
            {
                _at++;
                return Checked(read.ToString(), start);
            }

            read.Append(unit == '\\' ? ReadEscaped() : unit);
            _at++;
        }

        throw Error(start, $"a {closing} that closes what begins here", "the end of the text");
    }

    // Leaves the place at the last unit of the escape.
    private char ReadEscaped()
    {
        int start = _at;
        _at++;
        switch (Unit(_at))
        {
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case '"' or '\'' or ']' or '\\':
                return _text[_at];
            case 'u' when _at + 4 < _text.Length
                && ushort.TryParse(_text.AsSpan(_at + 1, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ushort code):
                _at += 4;
                return (char)code;
            default:
                const string Expected = """one of \n \r \t \" \' \] \\ and \u with 4 hexadecimal digits""";
                throw Error(start, Expected, Shown(start, Math.Min(2, _text.Length - start)));
        }
    }

    private static string Checked(string text, int start) =>
        TextOrder.FindLoneSurrogate(text) is >= 0 and var place
            ? throw Error(start, "a text", $"half of a surrogate pair in place {place} of what begins")
            : text;

    private char? Unit(int at) => at < _text.Length ? _text[at] : null;
}
