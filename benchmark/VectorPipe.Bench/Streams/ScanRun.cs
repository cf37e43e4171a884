using VectorPipe.Bench.Reads;
using VectorPipe.Devices;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;

namespace VectorPipe.Bench.Streams;

/// <summary>Reads a file front to back.</summary>
internal static class ScanRun
{
    private const int MaxReads = 16;
    private const int PagesPerRead = 64;

    /// <summary>Measures a scan.</summary>
    /// <param name="device">Holds the file.</param>
    /// <param name="file">What is read.</param>
    /// <param name="isVerified">Whether pages are verified; if not, nothing looks at their bytes.</param>
    public static StreamResultRow Measure(IDevice device, PageFile file, bool isVerified)
    {
        using var session = new PendingIoSession(
            device, new PendingIoOptions { Capacity = MaxReads + 1, BufferBytes = PagesPerRead * file.PageSize, SubmitEvery = 1 });
        long next = 0;
        var source = new PageReads(file, () => ++next < file.PageCount ? next : PageReads.End, isVerified);
        using var stream =
            new ReadStream(session, source, new ReadStreamOptions { MaxReads = MaxReads, CombineLimit = PagesPerRead, StartsFull = true });
        var meter = StreamMeter.Start();
        while (stream.TryGetNext(out _))
        {
        }

        return meter.End(isVerified ? "scan" : "scan unverified", MaxReads, 0, file.PageCount - 1, default, session.Counters, stream.Waits);
    }
}
