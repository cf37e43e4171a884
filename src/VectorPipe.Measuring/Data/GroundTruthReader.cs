using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace VectorPipe.Measuring.Data;

/// <summary>Loads ground-truth and ivecs files.</summary>
internal static class GroundTruthReader
{
    private const int HeaderBytes = 8;
    private const int PrefixBytes = 4;
    private const int ChunkBytes = 1 << 20;

    public static async Task<GroundTruth> LoadAsync(string path, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        await using var file = new FileStream(
            path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.Asynchronous | FileOptions.SequentialScan);
        if (file.Length == 0)
            throw new VectorFormatException(path, 0, "a header", "an empty file");
        byte[] head = new byte[HeaderBytes];
        int headLength = await file.ReadAtLeastAsync(head, HeaderBytes, throwOnEndOfStream: false, cancellationToken);
        return GroundTruth.IsIvecs(path)
            ? await ReadRowsAsync(file, path, head.AsMemory(0, headLength), cancellationToken)
            : await ReadTruthAsync(file, path, head.AsMemory(0, headLength), cancellationToken);
    }

    private static async Task<GroundTruth> ReadTruthAsync(
        FileStream file, string path, ReadOnlyMemory<byte> head, CancellationToken cancellationToken)
    {
        RequireHead(path, head, HeaderBytes);
        int count = BinaryPrimitives.ReadInt32LittleEndian(head.Span);
        int k = BinaryPrimitives.ReadInt32LittleEndian(head.Span[4..]);
        if (count < 1)
            throw new VectorFormatException(path, 0, "at least 1 row", $"a count of {count}");
        RequireDimension(path, 4, k);
        Int128 idBytes = (Int128)count * k * GroundTruth.ElementBytes;
        Int128 idsOnly = HeaderBytes + idBytes;
        Int128 withDistances = idsOnly + idBytes;
        if (file.Length != idsOnly && file.Length != withDistances)
        {
            throw new VectorFormatException(
                path, file.Length > idsOnly ? (long)idsOnly : file.Length,
                $"{idsOnly} bytes (ids) or {withDistances} bytes (ids and distances) of {count} queries with k = {k}",
                $"{file.Length} bytes (truncated, or trailing bytes)");
        }

        int total = CheckTotal(path, count, k);
        uint[] ids = await ReadAsync<uint>(file, path, total, cancellationToken);
        float[] distances = file.Length == withDistances ? await ReadAsync<float>(file, path, total, cancellationToken) : [];
        return new GroundTruth(count, k, ids, distances);
    }

    private static async Task<GroundTruth> ReadRowsAsync(
        FileStream file, string path, ReadOnlyMemory<byte> head, CancellationToken cancellationToken)
    {
        RequireHead(path, head, PrefixBytes);
        int k = BinaryPrimitives.ReadInt32LittleEndian(head.Span);
        RequireDimension(path, 0, k);
        long rowBytes = PrefixBytes + ((long)k * GroundTruth.ElementBytes);
        (long count, long rest) = Math.DivRem(file.Length, rowBytes);
        if (rest != 0)
        {
            throw new VectorFormatException(
                path, file.Length - rest, $"a whole number of {rowBytes}-byte rows (dimension {k})",
                $"{rest} bytes after row {count} (a truncated row or trailing bytes)");
        }

        file.Position = 0;
        uint[] rows = await ReadAsync<uint>(file, path, CheckTotal(path, count, k + 1), cancellationToken);
        uint[] ids = new uint[count * k];
        for (int query = 0; query < count; query++)
        {
            ReadOnlySpan<uint> row = rows.AsSpan(query * (k + 1), k + 1);
            if (row[0] != k)
                throw new VectorFormatException(path, query * rowBytes, $"dimension {k}, as in the first row", $"{(int)row[0]}");
            row[1..].CopyTo(ids.AsSpan(query * k));
        }

        return new GroundTruth((int)count, k, ids, []);
    }

    private static void RequireHead(string path, ReadOnlyMemory<byte> head, int bytes)
    {
        if (head.Length < bytes)
            throw new VectorFormatException(path, head.Length, $"a header of {bytes} bytes", "the end of the file (truncated)");
    }

    private static void RequireDimension(string path, long offset, int k)
    {
        if (k < 1 || k > Array.MaxLength / GroundTruth.ElementBytes)
            throw new VectorFormatException(path, offset, $"a dimension of 1 to {Array.MaxLength / GroundTruth.ElementBytes}", $"{k}");
    }

    private static int CheckTotal(string path, long count, int k)
    {
        Int128 total = (Int128)count * k;
        if (total > Array.MaxLength)
            throw new VectorFormatException(path, 0, $"at most {Array.MaxLength} ids in one ground truth", $"{total}");
        return (int)total;
    }

    // The caller has checked the length of the file.
    private static async Task<T[]> ReadAsync<T>(FileStream file, string path, int total, CancellationToken cancellationToken)
        where T : unmanaged
    {
        var values = new T[total];

        // A span holds at most 2 GiB, so read in chunks.
        byte[] chunk = new byte[Math.Min(ChunkBytes, (long)total * GroundTruth.ElementBytes)];
        for (int first = 0; first < total; first += chunk.Length / GroundTruth.ElementBytes)
        {
            int count = Math.Min(chunk.Length / GroundTruth.ElementBytes, total - first);
            Memory<byte> bytes = chunk.AsMemory(0, count * GroundTruth.ElementBytes);
            if (await file.ReadAtLeastAsync(bytes, bytes.Length, throwOnEndOfStream: false, cancellationToken) < bytes.Length)
                throw new VectorFormatException(
                    path, file.Position, $"{file.Length} bytes", "the end of the file: it was truncated meanwhile");
            MemoryMarshal.Cast<byte, T>(bytes.Span).CopyTo(values.AsSpan(first));
        }

        return values;
    }
}
