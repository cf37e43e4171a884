namespace VectorPipe.Server.Commands;

/// <summary>One end of a range of names in the order of their bytes: <c>[name</c>, <c>(name</c>, <c>-</c> or <c>+</c>.</summary>
internal readonly record struct RangeEnd(bool IsLeast, bool IsMost, bool IsInclusive, byte[] Name)
{
    /// <summary>Reads an end; null if it is none.</summary>
    public static RangeEnd? Read(ReadOnlySpan<byte> text)
    {
        if (text.Length == 1 && text[0] is (byte)'-' or (byte)'+')
            return new RangeEnd(text[0] == '-', text[0] == '+', true, []);
        bool isName = text.Length > 1 && text[0] is (byte)'[' or (byte)'(';
        return isName ? new RangeEnd(false, false, text[0] == '[', text[1..].ToArray()) : null;
    }

    /// <summary>Whether a name is in a range that begins here.</summary>
    public bool IsBefore(ReadOnlySpan<byte> name) => IsLeast || (!IsMost && IsOnSide(name.SequenceCompareTo(Name)));

    /// <summary>Whether a name is in a range that ends here.</summary>
    public bool IsBehind(ReadOnlySpan<byte> name) => IsMost || (!IsLeast && IsOnSide(-name.SequenceCompareTo(Name)));

    private bool IsOnSide(int order) => order > 0 || (IsInclusive && order == 0);
}
