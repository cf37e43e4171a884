using System.Buffers.Binary;
using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Bench.Reads;

/// <summary>A file full of verified pages of random bytes, to be read at random. Immutable.</summary>
/// <param name="FilePath">The file.</param>
/// <param name="FileId">Identity that every page repeats.</param>
/// <param name="Generation">Generation that every page repeats.</param>
/// <param name="PageSize">Bytes of a page.</param>
/// <param name="PageCount">Pages, the header included.</param>
internal sealed record PageFile(string FilePath, ulong FileId, uint Generation, int PageSize, long PageCount)
{
    private const ulong IndexId = 1;
    private const uint FirstGeneration = 1;

    /// <summary>Opens the file of a shape in a folder; makes it if it is not there, or was not finished.</summary>
    /// <param name="folder">The folder; created if it does not exist.</param>
    /// <param name="pageSize">Bytes of a page: a multiple of 4,096.</param>
    /// <param name="pageCount">Pages, the header included: 2 or more.</param>
    /// <param name="progress">Told the pages written; may be null.</param>
    /// <param name="cancellationToken">Stops the writing; what was written is deleted.</param>
    /// <exception cref="IndexWriteException">The file cannot be written.</exception>
    public static PageFile OpenOrCreate(
        string folder, int pageSize, long pageCount, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(folder);
        string path = Path.Combine(folder, $"pages-{pageSize}x{pageCount}.bench");
        return TryOpen(path, pageSize, pageCount) ?? Create(path, pageSize, pageCount, progress, cancellationToken);
    }

    /// <summary>Whether bytes that were read are the page that was asked for, unharmed.</summary>
    public PageFault Check(ReadOnlySpan<byte> bytes, long page) =>
        PageCodec.Check(bytes, PageKind.Stream, new PageIdentity(FileId, page, Generation));

    /// <summary>The error for a page that failed <see cref="Check"/>.</summary>
    public IndexCorruptException Error(ReadOnlySpan<byte> bytes, long page, PageFault fault) =>
        PageCodec.Error(FilePath, bytes, PageKind.Stream, new PageIdentity(FileId, page, Generation), fault);

    /// <summary>The header is written last: a file that has one is complete.</summary>
    private static PageFile? TryOpen(string path, int pageSize, long pageCount)
    {
        if (!File.Exists(path) || new FileInfo(path).Length != pageSize * pageCount)
            return null;
        var page = new byte[pageSize];
        using (FileStream file = File.OpenRead(path))
            file.ReadExactly(page);
        var found = new PageFile(
            path, BinaryPrimitives.ReadUInt64LittleEndian(page.AsSpan(8)), BinaryPrimitives.ReadUInt32LittleEndian(page.AsSpan(24)),
            pageSize, pageCount);
        PageFault fault = PageCodec.Check(page, PageKind.FileHeader, new PageIdentity(found.FileId, 0, found.Generation));
        return fault == PageFault.None ? found : null;
    }

    /// <summary>Where a page at random lies, any but the header.</summary>
    public long RandomOffset(ref SplitMix64 random)
    {
        long page = 1 + (long)Math.BigMul(random.Next(), (ulong)(PageCount - 1), out _);
        return page * PageSize;
    }

    private static PageFile Create(
        string path, int pageSize, long pageCount, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        File.Delete(path);
        bool isComplete = false;
        try
        {
            using var writer =
                new PageFileWriter(path, FileRole.Codes, IndexId, FirstGeneration, pageSize, pageCount, FileStorageIo.Instance);
            var random = new SplitMix64(IndexId);
            for (long page = 1; page < pageCount; page++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                Fill(PageCodec.Payload(writer.BeginPage()), ref random);
                writer.Seal(PageKind.Stream, 0, pageSize - PageCodec.HeaderSize);
                if (page % 1024 == 0)
                    progress?.Report(new BuildProgress("write", page, pageCount));
            }

            writer.Complete();
            isComplete = true;
            FileEntry entry = writer.Entry;
            return new PageFile(path, entry.FileId, entry.Generation, pageSize, pageCount);
        }
        finally
        {
            if (!isComplete)
                File.Delete(path);
        }
    }

    private static void Fill(Span<byte> payload, ref SplitMix64 random)
    {
        foreach (ref ulong word in MemoryMarshal.Cast<byte, ulong>(payload))
            word = random.Next();
    }
}
