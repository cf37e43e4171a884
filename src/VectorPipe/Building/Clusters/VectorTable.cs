using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Devices.Native;
using VectorPipe.Numerics.Distances;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Clusters;

/// <summary>Vectors in the form of the panel kernels: points in leaf order, a sample, or centroids.</summary>
/// <remarks>
/// The numbers that go with rows are always in memory; rows of a paged table are touched by whoever has asked a lease for them. Different
/// rows may be written by different threads at a time. Freed by <see cref="Dispose"/>.
/// </remarks>
internal sealed unsafe class VectorTable : IDisposable
{
    private const int StrideMultiple = 32;

    private readonly TableMemory _memory;
    private readonly KeptRows? _kept;
    private readonly NativeBuffer? _numbers;

    /// <param name="form">The form of the rows.</param>
    /// <param name="count">How many, at least 1.</param>
    /// <param name="paging">What pages the rows; null to have them in memory.</param>
    /// <exception cref="OutOfMemoryException">The rows cannot be had.</exception>
    /// <param name="kept">Of a paged table, rows whose copies stay in memory; null for none.</param>
    public VectorTable(KernelRowFormat form, int count, PagedMemory? paging = null, KeptRows? kept = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        Form = form;
        Count = count;
        _kept = kept;
        int rows = count + (kept?.Count ?? 0);
        nint stride = (nint)StrideOf(form);
        _memory = TableMemory.Take(paging, "vectors", (long)stride * rows);
        if (kept?.Count > 0)
            _memory.Region?.Hold((long)stride * count, (long)stride * kept.Count);
        nint terms = 0;
        nint column = 0;
        if (!form.IsFloat)
        {
            column = (nint)rows * sizeof(int);
            _numbers = new NativeBuffer((nuint)(column * NumbersOf(form)));
            terms = (nint)_numbers.Pointer;
        }

        int pairOffset = form is { Distance: PanelDistance.ByteChord, IsUnsigned: true } ? -16384 * form.Components : 0;
        Rows = new PanelRows(
            form.Distance, (nint)_memory.Pointer, stride, form.Words, form.Components, terms, terms + column, form.HasAuxiliary ? terms
            + 2 * column : 0, pairOffset);
    }

    /// <summary>The form of the rows.</summary>
    public KernelRowFormat Form { get; }

    /// <summary>How many rows.</summary>
    public int Count { get; }

    /// <summary>The rows, for the kernels.</summary>
    public PanelRows Rows { get; }

    /// <summary>Blocks that a row may lie in.</summary>
    public long RowBlocks => PagedMemory.BlocksOf(Rows.Stride);

    /// <summary>Bytes from one row to the next.</summary>
    public static long StrideOf(KernelRowFormat form) =>
        ((long)form.Words * sizeof(int) + StrideMultiple - 1) / StrideMultiple * StrideMultiple;

    /// <summary>Bytes that a row takes in memory even when rows are paged.</summary>
    public static int NumberBytesOf(KernelRowFormat form) => form.IsFloat ? 0 : NumbersOf(form) * sizeof(int);

    /// <summary>Asks for rows that lie one after another.</summary>
    public void Ask(PageLease lease, int first, int count)
    {
        if (_memory.Region is { } region)
            lease.Ask(region, (long)first * Rows.Stride, (long)count * Rows.Stride);
    }

    /// <summary>Asks for rows.</summary>
    public void Ask(PageLease lease, ReadOnlySpan<int> rows)
    {
        if (_memory.Region is not { } region)
            return;
        foreach (int row in rows)
        {
            if (_kept is null || !_kept.Contains(row))
                lease.Ask(region, (long)row * Rows.Stride, Rows.Stride);
        }
    }

    /// <summary>Whether a row is in memory; if so it stays until the lease begins anew, if not it is hinted at.</summary>
    public bool TryHold(PageLease lease, int row) =>
        _memory.Region is not { } region || (_kept is not null && _kept.Contains(row))
        || lease.TryHold(region, (long)row * Rows.Stride, Rows.Stride);

    /// <summary>Notes that rows that lie one after another, and those before them, will not be used again soon.</summary>
    public void Retire(PageLease lease, int first, int count)
    {
        if (_memory.Region is { } region)
            lease.Retire(region, (long)first * Rows.Stride, (long)count * Rows.Stride);
    }

    /// <summary>Notes that rows that lie one after another are about to be used.</summary>
    public void Touch(PageLease lease, int first, int count)
    {
        if (_memory.Region is { } region)
            lease.Touch(region, (long)first * Rows.Stride, (long)count * Rows.Stride);
    }

    /// <summary>Hints that rows that lie one after another will be asked for.</summary>
    public void Hint(PageLease lease, int first, int count)
    {
        if (_memory.Region is { } region)
            lease.Hint(region, (long)first * Rows.Stride, (long)count * Rows.Stride);
    }

    /// <summary>Hints that rows will be asked for.</summary>
    public void Hint(PageLease lease, ReadOnlySpan<int> rows)
    {
        if (_memory.Region is not { } region)
            return;
        foreach (int row in rows)
        {
            if (_kept is null || !_kept.Contains(row))
                lease.Hint(region, (long)row * Rows.Stride, Rows.Stride);
        }
    }

    /// <summary>Where the kernels find rows that were asked for: a copy that is always there, or the row itself.</summary>
    /// <param name="rows">The rows.</param>
    /// <param name="scratch">Grows to the largest set.</param>
    public ReadOnlySpan<int> Find(ReadOnlySpan<int> rows, ref int[] scratch)
    {
        if (_kept is null)
            return rows;
        if (scratch.Length < rows.Length)
            scratch = new int[2 * rows.Length];
        for (int i = 0; i < rows.Length; i++)
            scratch[i] = _kept.CopyOf(rows[i]);
        return scratch.AsSpan(0, rows.Length);
    }

    /// <summary>Fills a row from a point.</summary>
    public void Load(int row, PointTable points, int point)
    {
        _memory.Region?.MarkDirty((long)row * Rows.Stride, Rows.Stride);
        byte* target = Rows.Row(row);
        if (Form.IsFloat)
        {
            points.CopyBuildVector(point, new Span<float>(target, Form.Components));
            Keep(row);
            return;
        }

        var bytes = new Span<byte>(target, Form.Components);
        points.Vector(point).CopyTo(bytes);
        if (Form.IsUnsigned)
            Flip(bytes);
        SetTerms(row);
        if (Form.HasAuxiliary)
            ((float*)Rows.Auxiliary)[row] = points.Auxiliary(point);
        Keep(row);
    }

    /// <summary>Copies a row of a table of the same form.</summary>
    public void Copy(int row, VectorTable source, int sourceRow)
    {
        Buffer.MemoryCopy(source.Rows.Row(sourceRow), Rows.Row(row), Rows.Stride, Rows.Stride);
        if (Form.IsFloat)
            return;
        ((int*)Rows.RowTerms)[row] = source.Rows.RowTerm(sourceRow);
        ((int*)Rows.PanelTerms)[row] = source.Rows.PanelTerm(sourceRow);
        if (Form.HasAuxiliary)
            ((float*)Rows.Auxiliary)[row] = source.Rows.Aux(sourceRow);
    }

    /// <summary>Makes a row the mean of rows of a table of the same form, added in their order; byte components are rounded.</summary>
    /// <param name="row">Which row.</param>
    /// <param name="source">Where the rows are.</param>
    /// <param name="members">At least one.</param>
    /// <param name="sums">Scratch of at least <see cref="KernelRowFormat.Components"/> entries.</param>
    public void SetMean(int row, VectorTable source, ReadOnlySpan<int> members, Span<double> sums)
    {
        sums = sums[..Form.Components];
        sums.Clear();
        double auxiliary = 0;
        foreach (int member in members)
        {
            byte* vector = source.Rows.Row(member);
            if (Form.IsFloat)
            {
                for (int i = 0; i < sums.Length; i++)
                    sums[i] += ((float*)vector)[i];
            }
            else
            {
                for (int i = 0; i < sums.Length; i++)
                    sums[i] += ((sbyte*)vector)[i];
            }

            if (Form.HasAuxiliary)
                auxiliary += source.Rows.Aux(member);
        }

        byte* target = Rows.Row(row);
        for (int i = 0; i < sums.Length; i++)
        {
            double mean = sums[i] / members.Length;
            if (Form.IsFloat)
                ((float*)target)[i] = (float)mean;
            else
                ((sbyte*)target)[i] = (sbyte)Math.Round(mean);
        }

        if (Form.IsFloat)
            return;
        int squaredNorm = SetTerms(row);
        if (Form.HasAuxiliary)
            ((float*)Rows.Auxiliary)[row] = Form.Distance == PanelDistance.ByteChord ? squaredNorm : (float)(auxiliary / members.Length);
    }

    /// <summary>Frees the rows.</summary>
    public void Dispose()
    {
        _memory.Dispose();
        _numbers?.Dispose();
    }

    private void Keep(int row)
    {
        if (_kept is not null && _kept.Contains(row))
            Copy(_kept.CopyOf(row), this, row);
    }

    private static int NumbersOf(KernelRowFormat form) => form.HasAuxiliary ? 3 : 2;

    private static void Flip(Span<byte> bytes)
    {
        int i = 0;
        var sign = new System.Numerics.Vector<byte>(0x80);
        for (; i <= bytes.Length - System.Numerics.Vector<byte>.Count; i += System.Numerics.Vector<byte>.Count)
        {
            Span<byte> part = bytes[i..];
            (new System.Numerics.Vector<byte>(part) ^ sign).CopyTo(part);
        }

        for (; i < bytes.Length; i++)
            bytes[i] ^= 0x80;
    }

    // Returns the squared norm of the components as they were given.
    private int SetTerms(int row)
    {
        var vector = (sbyte*)Rows.Row(row);
        int squaredNorm = DistanceKernels.Dot(vector, vector, Form.Components);
        int sum = 0;
        for (int i = 0; i < Form.Components; i++)
            sum += vector[i];
        int constant = 16384 * Form.Components;
        if (Form.Distance == PanelDistance.ByteChord)
        {
            ((int*)Rows.RowTerms)[row] = Form.IsUnsigned ? 0 : -128 * sum;
            ((int*)Rows.PanelTerms)[row] = Form.IsUnsigned ? 128 * sum + constant : 0;
        }
        else
        {
            ((int*)Rows.RowTerms)[row] = squaredNorm + 256 * sum;
            ((int*)Rows.PanelTerms)[row] = squaredNorm;
        }

        return Form.IsUnsigned ? squaredNorm + 256 * sum + constant : squaredNorm;
    }
}
