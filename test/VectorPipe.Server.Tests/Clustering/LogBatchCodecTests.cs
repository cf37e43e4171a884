using System.Buffers;
using NUnit.Framework;
using VectorPipe.Cluster.Log;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Records of a batch as bytes.</summary>
internal sealed class LogBatchCodecTests
{
    private static readonly LogRecord[] _records =
    [
        new(RecordKind.Put, "a"u8.ToArray(), new byte[] { 1, 2, 3, 4 }, "{}"u8.ToArray()),
        new(RecordKind.Put, new byte[512], new byte[4000], Attributes: null),
        new(RecordKind.Put, "b"u8.ToArray(), new byte[4], ReadOnlyMemory<byte>.Empty),
        new(RecordKind.SetAttributes, "a"u8.ToArray(), default, new byte[300]),
        new(RecordKind.Remove, "a"u8.ToArray()),
    ];

    [Test]
    public void Records_come_back_as_they_were()
    {
        IReadOnlyList<LogRecord> found = LogBatchCodec.Read(Encode(), _records.Length);

        Assert.That(found.Select(Describe), Is.EqualTo(_records.Select(Describe)));
    }

    [Test]
    public void A_batch_that_is_cut_anywhere_is_refused()
    {
        byte[] batch = Encode();
        for (int length = 0; length < batch.Length; length++)
            Assert.Throws<LogDamagedException>(() => LogBatchCodec.Read(batch.AsMemory(0, length), _records.Length), $"{length} bytes");
    }

    [Test]
    public void A_byte_that_is_changed_gives_other_records_or_a_typed_error()
    {
        byte[] batch = Encode();
        for (int at = 0; at < batch.Length; at++)
        {
            byte[] changed = [.. batch];
            changed[at] ^= 0x81;
            try
            {
                LogBatchCodec.Read(changed, _records.Length);
            }
            catch (LogDamagedException)
            {
                continue;
            }

            Assert.That(LogBatchCodec.ChecksumOf(changed), Is.Not.EqualTo(LogBatchCodec.ChecksumOf(batch)));
        }
    }

    [TestCase(4)]
    [TestCase(6)]
    public void Another_number_of_records_is_refused(int count)
    {
        Assert.Throws<LogDamagedException>(() => LogBatchCodec.Read(Encode(), count));
    }

    private static byte[] Encode()
    {
        var batch = new ArrayBufferWriter<byte>();
        LogBatchCodec.Begin(batch);
        foreach (LogRecord record in _records)
            LogBatchCodec.Add(batch, record);
        return batch.WrittenSpan.ToArray();
    }

    private static string Describe(LogRecord record) =>
        $"{record.Kind} {Convert.ToHexString(record.Element.Span)} {Convert.ToHexString(record.Vector.Span)} "
        + (record.Attributes is { } attributes ? Convert.ToHexString(attributes.Span) : "kept");
}
