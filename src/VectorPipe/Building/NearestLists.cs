using VectorPipe.Devices;

namespace VectorPipe.Building;

/// <summary>A list of near points for each point, nearest first: a by-product of refining.</summary>
/// <remarks>Different lists may be written by different threads at a time. Freed by <see cref="Dispose"/>.</remarks>
internal sealed unsafe class NearestLists : IDisposable
{
    private readonly NativeBuffer _memory;

    /// <param name="count">Lists, at least 1.</param>
    /// <param name="length">Entries of a list, at least 1.</param>
    public NearestLists(int count, int length)
    {
        Count = count;
        Length = length;
        _memory = new NativeBuffer((nuint)count * (nuint)length * sizeof(int));
    }

    /// <summary>How many lists.</summary>
    public int Count { get; }

    /// <summary>Entries of a list.</summary>
    public int Length { get; }

    /// <summary>The list of a point, nearest first, in the caller's numbers; entries of -1 at the end stand for none.</summary>
    public Span<int> Of(int point) => new((int*)_memory.Pointer + (nint)point * Length, Length);

    /// <summary>Frees the lists.</summary>
    public void Dispose() => _memory.Dispose();
}
