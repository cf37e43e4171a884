using System.Text;

namespace VectorPipe.Filters.Algebra;

/// <summary>The order of texts by the bytes of their UTF-8, which is the order of their code points.</summary>
internal static class TextOrder
{
    private const char FirstSurrogate = '\uD800';
    private const char FirstAfterSurrogates = '\uE000';
    private const int LastCodePoint = 0x10FFFF;

    /// <summary>Compares two texts without lone surrogates.</summary>
    public static int Compare(string left, string right)
    {
        int same = left.AsSpan().CommonPrefixLength(right);
        return same == left.Length || same == right.Length
            ? left.Length.CompareTo(right.Length)
            : Rank(left[same]).CompareTo(Rank(right[same]));
    }

    /// <summary>The least text above all those with a prefix; null if there is none.</summary>
    public static string? AfterPrefix(string prefix)
    {
        int end = prefix.Length;
        while (end > 0)
        {
            Rune.DecodeLastFromUtf16(prefix.AsSpan(0, end), out Rune last, out int length);
            end -= length;
            if (last.Value == LastCodePoint)
                continue;
            int next = last.Value == FirstSurrogate - 1 ? FirstAfterSurrogates : last.Value + 1;
            return string.Concat(prefix.AsSpan(0, end), new Rune(next).ToString());
        }

        return null;
    }

    /// <summary>The place of the first half of a surrogate pair without its other half; -1 if there is none.</summary>
    public static int FindLoneSurrogate(ReadOnlySpan<char> text)
    {
        for (int i = 0; i < text.Length; i++)
        {
            if (!char.IsSurrogate(text[i]))
                continue;
            if (i + 1 == text.Length || !char.IsSurrogatePair(text[i], text[i + 1]))
                return i;
            i++;
        }

        return -1;
    }

    // Surrogates stand for the highest code points, though units above them are higher numbers.
    private static int Rank(char unit) =>
        unit < FirstSurrogate ? unit : unit >= FirstAfterSurrogates ? unit - (FirstAfterSurrogates - FirstSurrogate) : unit + 0x2000;
}
