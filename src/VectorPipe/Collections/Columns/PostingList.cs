using System.Runtime.InteropServices;

namespace VectorPipe.Collections.Columns;

/// <summary>The rows that have a text, ascending: their number, then the differences less one, in half-bytes. Immutable.</summary>
internal static class PostingList
{
    /// <summary>Makes a list.</summary>
    /// <param name="rows">The rows, ascending; overwritten.</param>
    public static byte[] Write(List<int> rows)
    {
        Span<int> numbers = CollectionsMarshal.AsSpan(rows);
        for (int i = numbers.Length - 1; i > 0; i--)
            numbers[i] -= numbers[i - 1] + 1;
        return NibbleWriter.Write(numbers.Length, numbers);
    }

    /// <summary>Adds the rows of a list to others.</summary>
    public static void Read(byte[]? list, List<int> rows)
    {
        if (list is null)
            return;
        var numbers = new NibbleReader(list);
        int row = -1;
        for (int left = numbers.Next(); left > 0; left--)
            rows.Add(row += numbers.Next() + 1);
    }

    /// <summary>Sets a bit for each row of a list.</summary>
    public static void Set(byte[] list, Span<ulong> words)
    {
        var numbers = new NibbleReader(list);
        int row = -1;
        for (int left = numbers.Next(); left > 0; left--)
        {
            row += numbers.Next() + 1;
            words[row >> 6] |= 1ul << row;
        }
    }

    /// <summary>Whether bytes are a list of rows that have a value.</summary>
    public static bool IsList(byte[] bytes, RowBits present, int rows)
    {
        var numbers = new NibbleReader(bytes);
        if (!numbers.TryNext(out int left))
            return false;
        for (long row = -1; left > 0; left--)
        {
            if (!numbers.TryNext(out int step))
                return false;
            row += step + 1L;
            if (row >= rows || !present[(int)row])
                return false;
        }

        return true;
    }
}
