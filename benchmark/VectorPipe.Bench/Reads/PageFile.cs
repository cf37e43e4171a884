using System.Buffers.Binary;
using System.Runtime.InteropServices;
using VectorPipe.Measuring.Data;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Bench.Reads;

/// <summary>A file of pages of random bytes with checksums. Immutable.</summary>
/// <param name="FileId">The identity in every page.</param>
/// <param name="Generation">The generation in every page.</param>
/// <param name="PageCount">Pages, including the header.</param>
internal sealed record PageFile(string FilePath, ulong FileId, uint Generation, int PageSize, long PageCount)
{
    private const ulong IndexId = 1;
    private const uint FirstGeneration = 1;

    /// <summary>Opens the file of a page size and count in a folder, or creates it if it is missing or incomplete.</summary>
    public static PageFile OpenOrCreate(
        string folder, int pageSize, long pageCount, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(folder);
        string path = Path.Combine(folder, $"pages-{pageSize}x{pageCount}.bench");
        return TryOpen(path, pageSize, pageCount) ?? Create(path, pageSize, pageCount, progress, cancellationToken);
    }

    /// <summary>Verifies the bytes of a page.</summary>
    public PageFault Check(ReadOnlySpan<byte> bytes, long page) =>
        PageCodec.Check(bytes, PageKind.Stream, new PageIdentity(FileId, page, Generation));

    /// <summary>The error for a page that failed <see cref="Check"/>.</summary>
    public IndexCorruptException Error(ReadOnlySpan<byte> bytes, long page, PageFault fault) =>
        PageCodec.Error(FilePath, bytes, PageKind.Stream, new PageIdentity(FileId, page, Generation), fault);

    // The header is written last, so a file with a header is complete.
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

    /// <summary>The offset of a random page other than the header.</summary>
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
