using VectorPipe.Devices.Native;

namespace VectorPipe.Building.Paging;

/// <summary>A table of a build: rows of equal length, all in memory or paged.</summary>
/// <remarks>
/// Every row has an address for good. A thread touches a row of a paged table only while its <see cref="PageLease"/> holds it. Different
/// threads may write different rows at a time. Freed by <see cref="Dispose"/>.
/// </remarks>
internal abstract unsafe class RowTable : IDisposable
{
    private readonly NativeBuffer? _buffer;

    /// <param name="paging">Pages the rows; null to have them in memory.</param>
    /// <param name="name">Names the scratch file.</param>
    /// <param name="count">Rows, at least 1.</param>
    /// <param name="rowBytes">Bytes of a row, at least 1.</param>
    /// <param name="copies">Rows behind the last, which no caller asks for.</param>
    /// <exception cref="OutOfMemoryException">The memory cannot be had.</exception>
    /// <exception cref="IndexWriteException">The disk has no room for the scratch file.</exception>
    protected RowTable(PagedMemory? paging, string name, int count, int rowBytes, int copies = 0)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(rowBytes, 1);
        Count = count;
        RowBytes = rowBytes;
        long length = ((long)count + copies) * rowBytes;
        Region = paging?.Create(name, length);
        _buffer = Region is null ? new NativeBuffer((nuint)length) : null;
        Pointer = Region is null ? _buffer!.Pointer : Region.Pointer;
    }

    public int Count { get; }

    public int RowBytes { get; }

    public bool IsPaged => Region is not null;

    /// <summary>The first row; zeroed memory.</summary>
    protected byte* Pointer { get; }

    /// <summary>Pages the rows; null if all are in memory.</summary>
    protected PagedRegion? Region { get; }

    /// <summary>Neighbouring rows, to be read; they are leased.</summary>
    public ReadOnlySpan<byte> Stretch(int first, int count) => new(Row(first), checked(count * RowBytes));

    /// <summary>Neighbouring rows, to be written; they are leased.</summary>
    public Span<byte> StretchToWrite(int first, int count)
    {
        MarkDirty(first, count);
        return new Span<byte>(Row(first), checked(count * RowBytes));
    }

    /// <summary>Asks for neighbouring rows.</summary>
    public void Ask(PageLease lease, int first, int count)
    {
        if (Region is { } region)
            lease.Ask(region, (long)first * RowBytes, (long)count * RowBytes);
    }

    /// <summary>Asks for rows.</summary>
    public virtual void Ask(PageLease lease, ReadOnlySpan<int> rows)
    {
        if (Region is not { } region)
            return;
        foreach (int row in rows)
            lease.Ask(region, (long)row * RowBytes, RowBytes);
    }

    /// <summary>Hints that neighbouring rows will be asked for.</summary>
    public void Hint(PageLease lease, int first, int count)
    {
        if (Region is { } region)
            lease.Hint(region, (long)first * RowBytes, (long)count * RowBytes);
    }

    /// <summary>Notes that neighbouring rows are about to be used.</summary>
    public void Touch(PageLease lease, int first, int count)
    {
        if (Region is { } region)
            lease.Touch(region, (long)first * RowBytes, (long)count * RowBytes);
    }

    /// <summary>Notes that neighbouring rows, and those before them, will not be used again soon.</summary>
    public void Retire(PageLease lease, int first, int count)
    {
        if (Region is { } region)
            lease.Retire(region, (long)first * RowBytes, (long)count * RowBytes);
    }

    /// <summary>Holds a row that is in memory until the lease begins again; otherwise hints at it.</summary>
    public bool TryHold(PageLease lease, int row) => Region is not { } region || lease.TryHold(region, (long)row * RowBytes, RowBytes);

    /// <summary>Goes over all rows from front to back; the lease holds each batch until the next.</summary>
    public IEnumerable<(int First, int Count)> Batches(PageLease lease, CancellationToken cancellationToken) =>
        Batches(lease, 0, Count, cancellationToken);

    /// <summary>Goes over neighbouring rows; the lease holds each batch until the next.</summary>
    public IEnumerable<(int First, int Count)> Batches(PageLease lease, int first, int count, CancellationToken cancellationToken)
    {
        int together = PagedMemory.RowsTogether(RowBytes);
        for (int done = 0; done < count; done += together)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int rows = Math.Min(together, count - done);
            lease.Begin();
            Ask(lease, first + done, rows);
            lease.Fetch();
            yield return (first + done, rows);
        }
    }

    public virtual void Dispose()
    {
        _buffer?.Dispose();
        Region?.Dispose();
    }

    /// <summary>Notes that neighbouring rows, which are leased, were or will be changed.</summary>
    protected void MarkDirty(int first, int count = 1) => Region?.MarkDirty((long)first * RowBytes, (long)count * RowBytes);

    /// <summary>The first byte of a row.</summary>
    protected byte* Row(int row) => Pointer + (long)row * RowBytes;
}
