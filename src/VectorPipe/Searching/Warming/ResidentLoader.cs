using VectorPipe.Devices.Native;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Searching.Caching;
using VectorPipe.Searching.Index;

namespace VectorPipe.Searching.Warming;

/// <summary>Loads all pages of a file, front to back in large reads, and verifies each once.</summary>
internal static class ResidentLoader
{
    private const int ReadTarget = 1 << 20;
    private const int MaxReads = 8;

    /// <summary>Loads the pages of a file of an open index.</summary>
    /// <param name="index">The index.</param>
    /// <param name="pages">The file's pages.</param>
    /// <param name="progress">Receives the pages done, and their number; may be null.</param>
    /// <param name="cancellationToken">Observed between reads.</param>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    public static unsafe ResidentCache Load(
        SearchIndex index, PageSet pages, Action<long, long>? progress, CancellationToken cancellationToken)
    {
        int pageSize = pages.PageSize, together = Math.Max(1, ReadTarget / pageSize);
        var memory = new NativeBuffer((nuint)pages.Count * (nuint)pageSize);
        try
        {
            using var session = new PendingIoSession(
                index.Device, index.Reads with { Capacity = MaxReads + 1, BufferBytes = together * pageSize, SubmitEvery = 1 });
            using var stream = new ReadStream(
                session, new PageSetSource(pages, pages.Numbers, "loading the index into memory"),
                new ReadStreamOptions { MaxReads = MaxReads, CombineLimit = together, StartsFull = true });
            long done = 0;
            while (stream.TryGetNext(out ReadBuffer page, cancellationToken))
            {
                page.Bytes.CopyTo(new Span<byte>(memory.Pointer + (nint)page.State * pageSize, pageSize));
                if (++done % together != 0 && done != pages.Count)
                    continue;
                cancellationToken.ThrowIfCancellationRequested();
                progress?.Invoke(done, pages.Count);
            }

            cancellationToken.ThrowIfCancellationRequested();
            return new ResidentCache(memory, pageSize);
        }
        catch
        {
            memory.Dispose();
            throw;
        }
    }
}
