using VectorPipe.Bench.Reads;
using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;

namespace VectorPipe.Bench.Streams;

/// <summary>Reads a file from start to end.</summary>
internal static class ScanRun
{
    private const int MaxReads = 16;
    private const int PagesPerRead = 64;

    /// <param name="isVerified">Whether to verify pages; otherwise their bytes are not read from memory.</param>
    public static StreamResultRow Measure(IDevice device, PageFile file, bool isVerified)
    {
        using var session = new PendingIoSession(
            device, new PendingIoOptions { Capacity = MaxReads + 1, BufferBytes = PagesPerRead * file.PageSize, SubmitEvery = 1 });
        long next = 0;
        var source = new PageReads(file, () => ++next < file.PageCount ? next : PageReads.End, isVerified);
        using var stream = new ReadStream(
            session, source, new ReadStreamOptions { MaxReads = MaxReads, CombineLimit = PagesPerRead, StartsFull = true });
        var meter = StreamMeter.Start();
        while (stream.TryGetNext(out _))
        {
        }

        return meter.End(isVerified ? "scan" : "scan unverified", MaxReads, 0, file.PageCount - 1, default, session.Counters, stream.Waits);
    }
}
