using System.Runtime.InteropServices;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Collections.Columns;

/// <summary>Writes numbers and bytes to a file of columns.</summary>
internal sealed class ColumnWriter(PagedStreamWriter stream)
{
    // No span of bytes is longer than 2 GiB.
    private const int NumbersAtOnce = 1 << 20;

    public void Write<T>(T number)
        where T : unmanaged => stream.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in number)));

    public void Write<T>(ReadOnlySpan<T> numbers)
        where T : unmanaged
    {
        while (!numbers.IsEmpty)
        {
            ReadOnlySpan<T> some = numbers[..Math.Min(NumbersAtOnce, numbers.Length)];
            stream.Write(MemoryMarshal.AsBytes(some));
            numbers = numbers[some.Length..];
        }
    }
}
