using VectorPipe.Formats;

namespace VectorPipe.Importing;

/// <summary>A DiskANN disk index, whose header was checked.</summary>
/// <param name="Path">The file.</param>
/// <param name="Header">Its header.</param>
/// <param name="Format">The places of things in a node.</param>
internal sealed record DiskAnnGraphFile(string Path, DiskAnnHeader Header, DiskAnnNodeFormat Format)
{
    // Enough nodes to tell types apart: a wrong type reads pieces of vectors as counts.
    private const int DetectionUnits = 16;

    /// <summary>Checks a file's header against its length.</summary>
    /// <param name="path">The file.</param>
    /// <param name="elementType">Type of a component; null to detect it.</param>
    /// <param name="cancellationToken">Cancels the check.</param>
    /// <exception cref="VectorFormatException">The file is no supported disk index, or has components of another type.</exception>
    public static async Task<DiskAnnGraphFile> CheckAsync(string path, VectorElementType? elementType, CancellationToken cancellationToken)
    {
        SourceFile file = SourceFile.Open(path);
        await using (file.ConfigureAwait(false))
        {
            byte[] head = await file.PeekAsync(DiskAnnHeader.Bytes, cancellationToken).ConfigureAwait(false);
            DiskAnnHeader header = DiskAnnHeader.Parse(head, path, file.Length);
            if (elementType is { } stated)
                return new DiskAnnGraphFile(path, header, DiskAnnNodeFormat.Create(header, stated, path));
            await file.SkipAsync(header.BlockBytes, cancellationToken).ConfigureAwait(false);
            byte[] units = await file.PeekAsync((int)Math.Min(DetectionUnits, header.Units.Count) * header.UnitBytes, cancellationToken)
                .ConfigureAwait(false);
            return new DiskAnnGraphFile(path, header, DiskAnnNodeFormat.Detect(header, units, path));
        }
    }
}
