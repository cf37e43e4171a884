using System.Buffers.Binary;
using VectorPipe.Formats;

namespace VectorPipe.Importing;

/// <summary>The product quantizer of a DiskANN index, as in its file.</summary>
/// <remarks>
/// The file is a row of matrices; the first (uint64) has the offsets of the others: at 4,096 the pivots (float32, a row per centroid, the
/// chunks side by side), then the mean that was subtracted before training (float32), then the first component of each chunk and the
/// dimension (uint32). Older files have a permutation of the components (uint32) before the chunks. Readers disagree on its meaning, so
/// only the identity is accepted.
/// </remarks>
/// <param name="Rows">Centroids of a chunk, 1 to 256; code bytes are below it.</param>
/// <param name="Pivots">Rows x dimension: row c holds centroid c of every chunk.</param>
/// <param name="Mean">The mean that was subtracted before training.</param>
/// <param name="ChunkOffsets">The first component of each chunk, ascending from 0, and then the dimension.</param>
internal sealed record DiskAnnPivots(int Rows, float[] Pivots, float[] Mean, int[] ChunkOffsets)
{
    private const int PivotsOffset = 4096;
    private const int MaxRows = 256;

    /// <summary>Reads a file whose dimension and number of chunks are known.</summary>
    /// <exception cref="VectorFormatException">The file is no quantizer, or has another dimension or number of chunks.</exception>
    public static async Task<DiskAnnPivots> ReadAsync(string path, int dimension, int chunks, CancellationToken cancellationToken)
    {
        SourceFile file = SourceFile.Open(path);
        await using (file.ConfigureAwait(false))
        {
            byte[] head = await file.PeekAsync(PivotsOffset + DiskAnnMatrix.HeaderBytes, cancellationToken).ConfigureAwait(false);
            Sections sections = CheckHead(head, path, dimension, chunks, file.Length);

            // The checked length bounds the allocation.
            byte[] bytes = await file.PeekAsync((int)file.Length, cancellationToken).ConfigureAwait(false);
            return Parse(bytes, path, dimension, chunks, sections);
        }
    }

    private static Sections CheckHead(ReadOnlySpan<byte> head, string path, int dimension, int chunks, long fileLength)
    {
        (uint entries, uint columns) = DiskAnnMatrix.Parse(head, path, 0);
        if (entries is not (4 or 5) || columns != 1)
            throw new VectorFormatException(path, 0, "a product quantizer: 4 or 5 offsets x 1", $"{entries} x {columns}");
        if (head.Length < PivotsOffset + DiskAnnMatrix.HeaderBytes)
            throw new VectorFormatException(path, head.Length, "pivots", "the end of the file (truncated)");
        (uint rows, uint width) = DiskAnnMatrix.Parse(head[PivotsOffset..], path, PivotsOffset);
        if (rows is < 1 or > MaxRows)
            throw new VectorFormatException(path, PivotsOffset, $"1 to {MaxRows} pivots", $"{rows}");
        if (width != dimension)
            throw new VectorFormatException(path, PivotsOffset + 4, $"pivots of dimension {dimension}, as the disk index has", $"{width}");

        long mean = PivotsOffset + DiskAnnMatrix.HeaderBytes + (4L * rows * dimension);
        long permutation = mean + DiskAnnMatrix.HeaderBytes + (4L * dimension);
        long offsets = entries == 4 ? permutation : permutation + DiskAnnMatrix.HeaderBytes + (4L * dimension);
        long end = offsets + DiskAnnMatrix.HeaderBytes + (4L * (chunks + 1));
        long[] expected = entries == 4 ? [PivotsOffset, mean, offsets, end] : [PivotsOffset, mean, permutation, offsets, end];
        for (int i = 0; i < expected.Length; i++)
        {
            int at = DiskAnnMatrix.HeaderBytes + (8 * i);
            ulong found = BinaryPrimitives.ReadUInt64LittleEndian(head[at..]);
            if (found != (ulong)expected[i])
                throw new VectorFormatException(
                    path, at, $"offset {expected[i]} (dimension {dimension}, {rows} pivots, {chunks} chunks)", $"{found}");
        }

        if (fileLength != end)
            throw new VectorFormatException(path, Math.Min(fileLength, end), $"{end} bytes", $"{fileLength}");
        return new Sections((int)rows, (int)mean, entries == 4 ? null : (int)permutation, (int)offsets);
    }

    private static DiskAnnPivots Parse(ReadOnlySpan<byte> bytes, string path, int dimension, int chunks, Sections sections)
    {
        float[] pivots = Floats(bytes, path, PivotsOffset + DiskAnnMatrix.HeaderBytes, sections.Rows * dimension);
        DiskAnnMatrix.ExpectColumn(bytes, path, sections.Mean, dimension, "a mean");
        float[] mean = Floats(bytes, path, sections.Mean + DiskAnnMatrix.HeaderBytes, dimension);
        if (sections.Permutation is { } permutation)
            CheckIdentity(bytes, path, permutation, dimension);

        DiskAnnMatrix.ExpectColumn(bytes, path, sections.Offsets, chunks + 1, "chunk offsets");
        int[] offsets = new int[chunks + 1];
        for (int chunk = 0; chunk <= chunks; chunk++)
        {
            // This chunk and each one after it has at least one component.
            int at = sections.Offsets + DiskAnnMatrix.HeaderBytes + (4 * chunk);
            int least = chunk == 0 ? 0 : chunk == chunks ? dimension : offsets[chunk - 1] + 1;
            int most = chunk == 0 ? 0 : dimension - (chunks - chunk);
            uint offset = BinaryPrimitives.ReadUInt32LittleEndian(bytes[at..]);
            if (offset < least || offset > most)
                throw new VectorFormatException(
                    path, at, least == most ? $"chunk offset {least}" : $"a chunk offset of {least} to {most}", $"{offset}");
            offsets[chunk] = (int)offset;
        }

        return new DiskAnnPivots(sections.Rows, pivots, mean, offsets);
    }

    private static void CheckIdentity(ReadOnlySpan<byte> bytes, string path, int permutation, int dimension)
    {
        DiskAnnMatrix.ExpectColumn(bytes, path, permutation, dimension, "a permutation");
        for (int i = 0; i < dimension; i++)
        {
            int at = permutation + DiskAnnMatrix.HeaderBytes + (4 * i);
            if (BinaryPrimitives.ReadUInt32LittleEndian(bytes[at..]) is var found && found != i)
                throw new VectorFormatException(path, at, $"component {i} in its place; permuted ones are not supported", $"{found}");
        }
    }

    private static float[] Floats(ReadOnlySpan<byte> bytes, string path, int offset, int count)
    {
        float[] values = new float[count];
        for (int i = 0; i < count; i++)
        {
            values[i] = BinaryPrimitives.ReadSingleLittleEndian(bytes[(offset + (4 * i))..]);
            if (!float.IsFinite(values[i]))
                throw new VectorFormatException(path, offset + (4L * i), "a finite number", $"{values[i]}");
        }

        return values;
    }

    /// <summary>Offsets of the matrices.</summary>
    private readonly record struct Sections(int Rows, int Mean, int? Permutation, int Offsets);
}
