using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;

namespace VectorPipe.Formats;

/// <summary>Appends rows to a pipe, each with its prefix where the layout has one. Serves every format.</summary>
internal static class RowSink
{
    /// <summary>Appends rows until the pipe holds enough to be worth a write, but at least one row.</summary>
    /// <param name="pipe">The pipe; the caller flushes it when it holds <see cref="StagedFile.FlushBytes"/>.</param>
    /// <param name="layout">How rows are stored.</param>
    /// <param name="rows">Whole rows, not empty.</param>
    /// <returns>Bytes of <paramref name="rows"/> that were appended: whole rows.</returns>
    public static int Append(PipeWriter pipe, RowLayout layout, ReadOnlySpan<byte> rows)
    {
        if (layout.PrefixBytes == 0)
        {
            int fitting = Math.Max(1, StagedFile.FlushBytes / layout.RowBytes) * layout.RowBytes;
            rows = rows[..Math.Min(rows.Length, fitting)];
            pipe.Write(rows);
            return rows.Length;
        }

        int taken = 0;
        do
        {
            BinaryPrimitives.WriteInt32LittleEndian(pipe.GetSpan(layout.PrefixBytes), layout.Dimension);
            pipe.Advance(layout.PrefixBytes);
            pipe.Write(rows.Slice(taken, layout.RowBytes));
            taken += layout.RowBytes;
        }
        while (taken < rows.Length && pipe.UnflushedBytes < StagedFile.FlushBytes);
        return taken;
    }
}
