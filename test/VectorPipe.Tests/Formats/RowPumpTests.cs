using System.IO.Pipelines;
using NUnit.Framework;
using VectorPipe.Formats;

namespace VectorPipe.Tests.Formats;

/// <summary>The pump reads rows from pipes that split the bytes anywhere.</summary>
public sealed class RowPumpTests
{
    private static readonly byte[] _plain = TestBytes.Counting(12);
    private static readonly RowLayout _plainLayout = new(4, 1, 3, 8, 0);
    private static readonly RowLayout _prefixedLayout = new(4, 1, 3, 0, 4);

    private static byte[] Prefixed => [.. _plain.Chunk(4).SelectMany(row => TestBytes.Int32(4).Concat(row))];

    [Test]
    public async Task A_split_at_any_byte_changes_nothing([Values] bool prefixed, [Range(0, 24)] int splitAt)
    {
        byte[] stored = prefixed ? Prefixed : _plain;
        splitAt = Math.Min(splitAt, stored.Length);
        var pipe = new Pipe();
        var pump = new RowPump(pipe.Reader, "x", prefixed ? _prefixedLayout : _plainLayout);
        byte[] rows = new byte[12];

        await pipe.Writer.WriteAsync(stored.AsMemory(0, splitAt));
        Task<int> read = pump.ReadAsync(rows, default).AsTask();
        await pipe.Writer.WriteAsync(stored.AsMemory(splitAt));
        await pipe.Writer.CompleteAsync();

        Assert.That(await read, Is.EqualTo(3));
        Assert.That(rows, Is.EqualTo(_plain));
    }

    [Test]
    public async Task A_byte_at_a_time_is_enough([Values] bool prefixed, [Values(4, 5, 8, 100)] int bufferBytes)
    {
        var pipe = new Pipe();
        var pump = new RowPump(pipe.Reader, "x", prefixed ? _prefixedLayout : _plainLayout);
        Task<byte[]> all = ReadAllAsync(pump, bufferBytes);

        foreach (byte value in prefixed ? Prefixed : _plain)
            await pipe.Writer.WriteAsync(new byte[] { value });
        await pipe.Writer.CompleteAsync();

        Assert.That(await all, Is.EqualTo(_plain));
    }

    [Test]
    public async Task Bytes_after_the_rows_stay_in_the_pipe()
    {
        var pipe = new Pipe();
        await pipe.Writer.WriteAsync(new byte[] { 1, 2, 3, 4, 99 });
        await pipe.Writer.CompleteAsync();
        var pump = new RowPump(pipe.Reader, "x", _plainLayout with { Count = 1 });

        await pump.ReadAsync(new byte[16], default);

        ReadResult rest = await pipe.Reader.ReadAsync();
        Assert.That(rest.Buffer.FirstSpan.ToArray(), Is.EqualTo(new byte[] { 99 }));
    }

    [Test]
    public async Task A_wrong_prefix_split_over_buffers_is_found_at_its_first_byte()
    {
        var pipe = new Pipe();
        var pump = new RowPump(pipe.Reader, "x", _prefixedLayout);
        Task<int> read = pump.ReadAsync(new byte[12], default).AsTask();
        await pipe.Writer.WriteAsync(new byte[] { 4, 0, 0, 0, 1, 2, 3, 4, 4, 0 });
        await pipe.Writer.WriteAsync(new byte[] { 0, 0x80 });
        await pipe.Writer.CompleteAsync();

        Assert.That(
            async () => await read,
            Throws.TypeOf<VectorFormatException>().With.Property("Offset").EqualTo(8).And.Message.Contains($"found {4 | int.MinValue}"));
    }

    [Test]
    public async Task An_early_end_is_reported_with_its_offset([Values] bool prefixed)
    {
        var pipe = new Pipe();
        var pump = new RowPump(pipe.Reader, "x", prefixed ? _prefixedLayout : _plainLayout);
        await pipe.Writer.WriteAsync(prefixed ? Prefixed.AsMemory(0, 17) : _plain.AsMemory(0, 9));
        await pipe.Writer.CompleteAsync();

        Assert.That(
            async () => await pump.ReadAsync(new byte[12], default),
            Throws.TypeOf<VectorFormatException>().With.Property("Offset").EqualTo(17));
    }

    [Test]
    public async Task A_read_cancelled_midway_is_cancelled_and_the_pump_refuses_to_go_on()
    {
        var pipe = new Pipe();
        var pump = new RowPump(pipe.Reader, "x", _plainLayout);
        using var source = new CancellationTokenSource();
        await pipe.Writer.WriteAsync(_plain.AsMemory(0, 6));
        Task<int> read = pump.ReadAsync(new byte[12], source.Token).AsTask();
        Assert.That(read.IsCompleted, Is.False, "half of the bytes are missing");

        await source.CancelAsync();

        Assert.That(async () => await read, Throws.InstanceOf<OperationCanceledException>());
        Assert.That(async () => await pump.ReadAsync(new byte[12], default), Throws.InvalidOperationException);
    }

    [Test]
    public async Task A_second_read_while_one_is_running_is_refused()
    {
        var pipe = new Pipe();
        var pump = new RowPump(pipe.Reader, "x", _plainLayout);
        Task<int> read = pump.ReadAsync(new byte[12], default).AsTask();

        Assert.That(async () => await pump.ReadAsync(new byte[12], default), Throws.InvalidOperationException);

        await pipe.Writer.WriteAsync(_plain);
        await pipe.Writer.CompleteAsync();
        Assert.That(await read, Is.EqualTo(3), "the first read is unharmed");
    }

    private static async Task<byte[]> ReadAllAsync(RowPump pump, int bufferBytes)
    {
        var all = new List<byte>();
        byte[] rows = new byte[bufferBytes];
        for (int count; (count = await pump.ReadAsync(rows, default)) > 0;)
            all.AddRange(rows.AsSpan(0, count * 4));
        return [.. all];
    }
}
