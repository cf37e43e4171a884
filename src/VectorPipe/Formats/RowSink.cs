using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using VectorPipe.Quantization;

namespace VectorPipe.Formats;

/// <summary>Appends rows of any format to a pipe, each with its prefix if the layout has one.</summary>
internal static class RowSink
{
    /// <summary>Appends whole rows, at least one, until the pipe holds <see cref="StagedFile.FlushBytes"/>; the caller flushes it.</summary>
    /// <returns>Bytes of <paramref name="rows"/> that were appended.</returns>
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
