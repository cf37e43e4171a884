using Apache.Arrow;
using Apache.Arrow.Compression;
using Apache.Arrow.Ipc;
using Apache.Arrow.Types;

namespace VectorPipe.Tool.Tests.Infrastructure;

/// <summary>Arrow files and streams that tests write.</summary>
internal static class TestArrow
{
    /// <summary>Writes the batches, each of the same columns; a name that ends in <c>.arrows</c> is a stream.</summary>
    public static void Write(string path, params (string Name, IArrowArray Values)[][] batches) => Write(path, codec: null, batches);

    /// <summary>Writes the batches with their buffers compressed.</summary>
    public static void Write(string path, CompressionCodecType? codec, params (string Name, IArrowArray Values)[][] batches)
    {
        var options = new IpcOptions { CompressionCodec = codec, CompressionCodecFactory = new CompressionCodecFactory() };
        var schema = new Schema(batches[0].Select(column => new Field(column.Name, column.Values.Data.DataType, nullable: true)), null);
        using FileStream stream = File.Create(path);
        using ArrowStreamWriter writer = path.EndsWith(".arrows", StringComparison.Ordinal)
            ? new ArrowStreamWriter(stream, schema, leaveOpen: false, options)
            : new ArrowFileWriter(stream, schema, leaveOpen: false, options);
        foreach ((string, IArrowArray Values)[] batch in batches)
            writer.WriteRecordBatch(new RecordBatch(schema, batch.Select(column => column.Values), batch[0].Values.Length));
        writer.WriteEnd();
    }

    public static IArrowArray Longs(params long?[] values)
    {
        var builder = new Int64Array.Builder();
        foreach (long? value in values)
            builder.Append(value);
        return builder.Build();
    }

    public static IArrowArray Texts(params string?[] values)
    {
        var builder = new StringArray.Builder();
        foreach (string? value in values)
            _ = value is null ? builder.AppendNull() : builder.Append(value);
        return builder.Build();
    }

    /// <summary>Lists of two numbers each.</summary>
    public static IArrowArray Pairs(params float[] components)
    {
        var lists = new FixedSizeListArray.Builder(FloatType.Default, 2);
        var values = (FloatArray.Builder)lists.ValueBuilder;
        for (int i = 0; i < components.Length; i += 2)
        {
            lists.Append();
            values.Append(components[i]).Append(components[i + 1]);
        }

        return lists.Build();
    }

    public static IArrowArray Lists(params double[][] rows)
    {
        var lists = new ListArray.Builder(DoubleType.Default);
        var values = (DoubleArray.Builder)lists.ValueBuilder;
        foreach (double[] row in rows)
        {
            lists.Append();
            values.AppendRange(row);
        }

        return lists.Build();
    }

    public static IArrowArray TextLists(params string[][] rows)
    {
        var lists = new ListArray.Builder(StringType.Default);
        var values = (StringArray.Builder)lists.ValueBuilder;
        foreach (string[] row in rows)
        {
            lists.Append();
            values.AppendRange(row);
        }

        return lists.Build();
    }
}
