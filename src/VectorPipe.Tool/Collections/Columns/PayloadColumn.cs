using System.Text;

namespace VectorPipe.Tool.Collections.Columns;

/// <summary>A column of payloads: strings, which become their UTF-8, or bytes; null is empty.</summary>
internal static class PayloadColumn
{
    /// <summary>Reads the next row; null if the column cannot hold payloads.</summary>
    public static Func<string, ReadOnlyMemory<byte>>? ReaderOf(Column column) => column switch
    {
        { IsList: true } => null,
        ValueColumn<ReadOnlyMemory<char>> texts => place => Next(texts, place),
        ValueColumn<ReadOnlyMemory<byte>> bytes => place => Next(bytes, place),
        _ => null,
    };

    private static ReadOnlyMemory<byte> Next(ValueColumn<ReadOnlyMemory<char>> column, string place)
    {
        if (!column.Next(place, out ReadOnlySpan<ReadOnlyMemory<char>> values))
            return default;
        byte[] bytes = new byte[Encoding.UTF8.GetByteCount(values[0].Span)];
        Encoding.UTF8.GetBytes(values[0].Span, bytes);
        return bytes;
    }

    private static ReadOnlyMemory<byte> Next(ValueColumn<ReadOnlyMemory<byte>> column, string place) =>
        column.Next(place, out ReadOnlySpan<ReadOnlyMemory<byte>> values) ? values[0] : default;
}
