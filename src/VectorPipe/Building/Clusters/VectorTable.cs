using System.Numerics;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Devices.Native;
using VectorPipe.Numerics.Distances;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Clusters;

/// <summary>Vectors in the form of the panel kernels: points in leaf order, a sample, or centroids.</summary>
/// <remarks>The numbers that go with rows are always in memory.</remarks>
internal sealed unsafe class VectorTable : RowTable
{
    private const int StrideMultiple = 32;
    private const int LoadedRows = 256;

    private readonly KeptRows? _kept;
    private readonly NativeBuffer? _numbers;

    /// <param name="form">The form of the rows.</param>
    /// <param name="count">Rows, at least 1.</param>
    /// <param name="paging">Pages the rows; null to have them in memory.</param>
    /// <param name="kept">Rows of a paged table whose copies stay in memory; null for none.</param>
    /// <exception cref="OutOfMemoryException">The memory cannot be had.</exception>
    public VectorTable(KernelRowFormat form, int count, PagedMemory? paging = null, KeptRows? kept = null)
        : base(paging, "vectors", count, checked((int)StrideOf(form)), kept?.Count ?? 0)
    {
        Form = form;
        _kept = kept;
        int rows = count + (kept?.Count ?? 0);
        if (kept?.Count > 0)
            Region?.Hold((long)RowBytes * count, (long)RowBytes * kept.Count);
        nint terms = 0;
        nint column = 0;
        if (!form.IsFloat)
        {
            column = (nint)rows * sizeof(int);
            _numbers = new NativeBuffer((nuint)(column * NumbersOf(form)));
            terms = (nint)_numbers.Pointer;
        }

        nint auxiliary = form.HasAuxiliary ? terms + (2 * column) : 0;
        int pairOffset = form is { Distance: PanelDistance.ByteChord, IsUnsigned: true } ? -16384 * form.Components : 0;
        Rows = new PanelRows(
            form.Distance, (nint)Pointer, RowBytes, form.Words, form.Components, terms, terms + column, auxiliary, pairOffset);
    }

    /// <summary>The form of the rows.</summary>
    public KernelRowFormat Form { get; }

    /// <summary>The rows, for the kernels.</summary>
    public PanelRows Rows { get; }

    /// <summary>Blocks that a row may lie in.</summary>
    public long RowBlocks => PagedMemory.BlocksOf(RowBytes);

    /// <summary>Bytes from one row to the next.</summary>
    public static long StrideOf(KernelRowFormat form) =>
        ((long)form.Words * sizeof(int) + StrideMultiple - 1) / StrideMultiple * StrideMultiple;

    /// <summary>Bytes that a row takes in memory even when rows are paged.</summary>
    public static int NumberBytesOf(KernelRowFormat form) => form.IsFloat ? 0 : NumbersOf(form) * sizeof(int);

    /// <summary>Copies points into a table in memory, in the order of <paramref name="members"/>.</summary>
    public static VectorTable Load(
        PointTable points, ReadOnlySpan<int> members, PagedMemory? paging, CancellationToken cancellationToken)
    {
        var table = new VectorTable(KernelRowFormat.Of(points), members.Length);
        try
        {
            using PageLease lease = PageLease.Rent(paging);
            for (int first = 0; first < members.Length; first += LoadedRows)
            {
                cancellationToken.ThrowIfCancellationRequested();
                ReadOnlySpan<int> batch = members.Slice(first, Math.Min(LoadedRows, members.Length - first));
                lease.Begin();
                points.Ask(lease, batch);
                lease.Fetch();
                for (int i = 0; i < batch.Length; i++)
                    table.Load(first + i, points, batch[i]);
            }

            return table;
        }
        catch
        {
            table.Dispose();
            throw;
        }
    }

    public override void Ask(PageLease lease, ReadOnlySpan<int> rows)
    {
        if (Region is not { } region)
            return;
        foreach (int row in rows)
        {
            if (_kept is null || !_kept.Contains(row))
                lease.Ask(region, (long)row * RowBytes, RowBytes);
        }
    }

    /// <summary>Hints that rows will be asked for.</summary>
    public void Hint(PageLease lease, ReadOnlySpan<int> rows)
    {
        if (Region is not { } region)
            return;
        foreach (int row in rows)
        {
            if (_kept is null || !_kept.Contains(row))
                lease.Hint(region, (long)row * RowBytes, RowBytes);
        }
    }

    /// <summary>Where the kernels find rows that were asked for: the copy in memory, or the row itself.</summary>
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
        MarkDirty(row);
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

    public override void Dispose()
    {
        base.Dispose();
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
        var sign = new Vector<byte>(0x80);
        for (; i <= bytes.Length - Vector<byte>.Count; i += Vector<byte>.Count)
        {
            Span<byte> part = bytes[i..];
            (new Vector<byte>(part) ^ sign).CopyTo(part);
        }

        for (; i < bytes.Length; i++)
            bytes[i] ^= 0x80;
    }

    // Returns the squared norm of the original components.
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
