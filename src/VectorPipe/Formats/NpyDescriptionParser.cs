using System.Text;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Formats;

/// <summary>Parses the description of an npy file: a Python dictionary (<c>descr</c>, <c>fortran_order</c>, <c>shape</c>).</summary>
/// <remarks>
/// Accepts the keys in any order and any white space. Rejects everything that a plain matrix does not need (nested types, escapes).
/// </remarks>
internal ref struct NpyDescriptionParser
{
    private const int ExcerptBytes = 24;

    private readonly ReadOnlySpan<byte> _text;
    private readonly string _path;
    private readonly int _fileOffset;
    private int _position;
    private VectorElementType? _elementType;
    private bool _orderSeen;
    private Extent? _count;
    private Extent? _dimension;

    /// <summary>Prepares to parse a description, padding included, that begins at an offset of a file.</summary>
    public NpyDescriptionParser(ReadOnlySpan<byte> text, string path, int fileOffset)
    {
        _text = text;
        _path = path;
        _fileOffset = fileOffset;
    }

    /// <summary>Parses the description; the rows begin where it ends.</summary>
    /// <exception cref="VectorFormatException">It is malformed, or describes something other than a supported matrix.</exception>
    public (VectorElementType ElementType, RowLayout Rows) Parse()
    {
        Expect('{');
        while (!TryTake('}'))
        {
            ParseEntry();
            if (TryTake(','))
                continue;
            Expect('}');
            break;
        }

        SkipWhiteSpace();
        if (_position != _text.Length)
            throw Error("only white space after the dictionary");
        if (_elementType is not { } elementType || !_orderSeen || _count is not { } count || _dimension is not { } dimension)
            throw Error("the keys 'descr', 'fortran_order' and 'shape'", "a dictionary that lacks one");

        int elementBytes = elementType.SizeInBytes();
        return (elementType, new RowLayout(
            HeaderChecks.Dimension(_path, dimension.Offset, dimension.Value, elementBytes),
            elementBytes,
            HeaderChecks.Count(_path, count.Offset, count.Value),
            _fileOffset + _text.Length,
            PrefixBytes: 0));
    }

    private void ParseEntry()
    {
        int start = _position;
        ReadOnlySpan<byte> key = TakeString();
        Expect(':');
        if (key.SequenceEqual("descr"u8) && _elementType is null)
            ParseElementType();
        else if (key.SequenceEqual("fortran_order"u8) && !_orderSeen)
            ParseOrder();
        else if (key.SequenceEqual("shape"u8) && _count is null)
            ParseShape();
        else
            throw Error("the keys 'descr', 'fortran_order' and 'shape', once each", Excerpt(start), start);
    }

    private void ParseElementType()
    {
        SkipWhiteSpace();
        int start = _position;
        ReadOnlySpan<byte> name = TakeString();
        foreach (VectorElementType type in (ReadOnlySpan<VectorElementType>)
            [VectorElementType.Float32, VectorElementType.Float16, VectorElementType.UInt8, VectorElementType.Int8])
        {
            if (Ascii.Equals(name, NpyHeader.TypeName(type)))
                _elementType = type;
        }

        if (_elementType is null)
            throw Error("element type '<f4', '<f2', '|u1' or '|i1'", Excerpt(start), start);
    }

    private void ParseOrder()
    {
        SkipWhiteSpace();
        if (_text[_position..].StartsWith("True"u8))
            throw Error("C order ('fortran_order': False)", "Fortran order");
        if (!_text[_position..].StartsWith("False"u8))
            throw Error("True or False");
        _position += "False".Length;
        _orderSeen = true;
    }

    private void ParseShape()
    {
        SkipWhiteSpace();
        int start = _position;
        int rank = 0;
        Expect('(');
        while (!TryTake(')'))
        {
            Extent extent = TakeExtent();
            rank++;
            if (rank == 1)
                _count = extent;
            else if (rank == 2)
                _dimension = extent;
            if (TryTake(','))
                continue;
            Expect(')');
            break;
        }

        if (rank != 2)
            throw Error("a shape of 2 dimensions", $"{rank}: {Excerpt(start)}", start);
    }

    private Extent TakeExtent()
    {
        SkipWhiteSpace();
        int start = _position;
        long value = 0;
        for (; _position < _text.Length && char.IsAsciiDigit((char)_text[_position]); _position++)
        {
            int digit = _text[_position] - '0';
            if (value > (long.MaxValue - digit) / 10)
                throw Error("an extent that fits 64 bits", Excerpt(start), start);
            value = (value * 10) + digit;
        }

        if (_position == start)
            throw Error("a non-negative whole number");
        if (_position < _text.Length && _text[_position] == (byte)'L')
            _position++; // Python 2 marked long integers with an L.
        return new Extent(value, _fileOffset + start);
    }

    private ReadOnlySpan<byte> TakeString()
    {
        SkipWhiteSpace();
        if (_position == _text.Length || _text[_position] is not ((byte)'\'' or (byte)'"'))
            throw Error("a quoted string");
        ReadOnlySpan<byte> rest = _text[(_position + 1)..];
        int length = rest.IndexOf(_text[_position]);
        if (length < 0)
            throw Error("a closed string");
        _position += length + 2;
        return rest[..length];
    }

    private void Expect(char token)
    {
        if (!TryTake(token))
            throw Error($"'{token}'");
    }

    private bool TryTake(char token)
    {
        SkipWhiteSpace();
        if (_position == _text.Length || _text[_position] != token)
            return false;
        _position++;
        return true;
    }

    private void SkipWhiteSpace()
    {
        while (_position < _text.Length && _text[_position] is (byte)' ' or (byte)'\t' or (byte)'\r' or (byte)'\n')
            _position++;
    }

    private readonly VectorFormatException Error(string expected) => Error(expected, Excerpt(_position));

    private readonly VectorFormatException Error(string expected, string found) => Error(expected, found, _position);

    private readonly VectorFormatException Error(string expected, string found, int position) =>
        new(_path, _fileOffset + position, $"{expected} in the npy description", found);

    private readonly string Excerpt(int position)
    {
        ReadOnlySpan<byte> rest = _text[position..];
        if (rest.IsEmpty)
            return "its end";
        Span<char> shown = stackalloc char[Math.Min(ExcerptBytes, rest.Length)];
        for (int i = 0; i < shown.Length; i++)
            shown[i] = rest[i] is >= 0x20 and < 0x7F ? (char)rest[i] : '?';
        return $"\"{shown}\"";
    }

    /// <summary>A number of the shape, and its offset in the file.</summary>
    private readonly record struct Extent(long Value, long Offset);
}
