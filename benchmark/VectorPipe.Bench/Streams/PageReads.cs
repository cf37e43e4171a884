using VectorPipe.Bench.Reads;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Bench.Streams;

/// <summary>Supplies the pages of a file to a stream.</summary>
/// <param name="next">Returns the next page, <see cref="Pause"/> or <see cref="End"/>.</param>
/// <param name="isVerified">Whether to verify pages.</param>
internal sealed class PageReads(PageFile file, Func<long> next, bool isVerified) : IReadSource
{
    public const long Pause = -1;
    public const long End = -2;

    public ReadStep Next(out ReadRange range)
    {
        range = default;
        long page = next();
        if (page < 0)
            return page == Pause ? ReadStep.Pause : ReadStep.End;
        range = new ReadRange(0, page * file.PageSize, file.PageSize, page);
        return ReadStep.Read;
    }

    public void Verify(in ReadBuffer buffer)
    {
        if (!isVerified)
            return;
        PageFault fault = file.Check(buffer.Bytes, buffer.State);
        if (fault != PageFault.None)
            throw file.Error(buffer.Bytes, buffer.State, fault);
    }

    public Exception Explain(in ReadRange range, Exception error) =>
        new IOException($"{file.FilePath}, page {range.State}: {error.Message}", error);
}
