using NUnit.Framework;
using VectorPipe.Pipeline;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Pipeline;

/// <summary>Records every outcome, checks the bytes of every read, and calls the test.</summary>
internal sealed class RecordingOwner : IPendingIoOwner
{
    /// <summary>Tags of reads that landed, in order.</summary>
    public List<long> Landed { get; } = [];

    /// <summary>Tags and errors of reads that failed, in order.</summary>
    public List<(long Tag, Exception Error)> Failed { get; } = [];

    public Func<PendingIoContext, PendingIoOutcome> WhenRead { get; set; } = static _ => PendingIoOutcome.Done;

    public Action<PendingIoContext, Exception> WhenFailed { get; set; } = static (_, _) => { };

    /// <summary>The number of ended reads of this owner.</summary>
    public int Outcomes => Landed.Count + Failed.Count;

    public static void AssertBytes(PendingIoContext op)
    {
        ReadOnlySpan<byte> bytes = op.Bytes;
        if (bytes.Length != op.RequestLength)
            Assert.Fail($"Expected {op.RequestLength} bytes, found {bytes.Length}.");
        for (int i = 0; i < bytes.Length; i++)
        {
            if (bytes[i] != PatternFile.ByteAt(op.RequestOffset + i))
                Assert.Fail(
                    $"Slot {op.Slot}, {op.RequestLength} bytes at {op.RequestOffset}: byte {i} is {bytes[i]:x2}, expected "
                    + $"{PatternFile.ByteAt(op.RequestOffset + i):x2}.");
        }
    }

    public PendingIoOutcome OnRead(PendingIoContext op)
    {
        AssertBytes(op);
        Landed.Add(op.Tag);
        return WhenRead(op);
    }

    public void OnReadFailed(PendingIoContext op, Exception error)
    {
        Failed.Add((op.Tag, error));
        WhenFailed(op, error);
    }
}
