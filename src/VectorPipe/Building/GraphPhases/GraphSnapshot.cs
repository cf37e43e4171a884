using System.Buffers.Binary;
using System.Globalization;
using System.Reflection;
using System.Text;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Phases;
using VectorPipe.Diagnostics;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.GraphPhases;

/// <summary>What the long phases of a graph have made, in a file of the index directory, from which a build is taken up.</summary>
/// <remarks>
/// The file is a verified scratch file, and replaced by a rename. It has the links in leaf order, and the nearest points once they are
/// known. Vectors, leaves and their order are made anew: that takes a thirtieth of the time, and gives the same.
/// </remarks>
/// <param name="size">The graph.</param>
/// <param name="work">Its state, behind the order of the leaves.</param>
internal sealed unsafe class GraphSnapshot(GraphSize size, GraphWork work)
{
    /// <summary>The last snapshot: the graph is complete.</summary>
    public const int Last = 4;

    // The first snapshot behind which nearest points are known: those of the refinement.
    private const int FirstWithNearest = 2;

    // The first bytes of the header tell builds and snapshots apart, the others are results so far.
    private const int HeaderBytes = 128;
    private const int IdentityBytes = 20;
    private const int Format = 1;

    private static ReadOnlySpan<byte> Magic => "VPRESUME"u8;

    /// <summary>Most bytes of a snapshot.</summary>
    public static long BytesOf(GraphSize size) =>
        ScratchFormat.FileLength(HeaderBytes + size.LinkTableBytes + (size.Count * size.NearestRowBytes));

    /// <summary>Keeps what there is.</summary>
    /// <param name="run">The build.</param>
    /// <param name="stage">Number of the snapshot, 1 to <see cref="Last"/>.</param>
    /// <exception cref="IndexWriteException">It could not be written; the one before is still there.</exception>
    public void Write(BuildRun run, int stage)
    {
        LinkTable links = work.Links ?? work.RequireGraph().Links;
        NearestTable? nearest = stage < FirstWithNearest ? null : work.Nearest ?? work.RequireGraph().Nearest;
        string path = IndexDirectory.SnapshotPath(run.Target.Directory), temporary = IndexDirectory.NewSnapshotPath(run.Target.Directory);
        Span<byte> header = stackalloc byte[HeaderBytes];
        header.Clear();
        WriteIdentity(header, stage);
        WriteReport(header);
        try
        {
            run.Target.Io.Delete(temporary);
            using (var writer = new ScratchWriter(temporary, HeaderBytes + BytesOf(links) + BytesOf(nearest), run.Target.Io))
            {
                writer.Write(header);
                Write(writer, links, run);
                if (nearest is not null)
                    Write(writer, nearest, run);
                writer.Complete();
            }

            run.Target.Io.Rename(temporary, path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new IndexWriteException($"Writing {path}, from which the build could be taken up, failed: {e.Message}", e);
        }
    }

    /// <summary>Takes up what an earlier build has kept, if it was the same.</summary>
    /// <returns>The number of the snapshot; 0 if there is none of this build.</returns>
    /// <exception cref="IndexCorruptException">There is one, and it is damaged.</exception>
    /// <exception cref="DeviceException">There is one, and it cannot be read.</exception>
    public int Read(BuildRun run)
    {
        string path = IndexDirectory.SnapshotPath(run.Target.Directory);
        if (!File.Exists(path))
            return 0;
        using ScratchReader reader = Open(path, run);
        byte[] expected = new byte[IdentityBytes], header = new byte[HeaderBytes];
        if (reader.Length >= HeaderBytes)
            reader.Read(0, HeaderBytes, (at, bytes) => bytes.CopyTo(header.AsSpan((int)at)));
        int stage = BinaryPrimitives.ReadInt32LittleEndian(header.AsSpan(16));
        WriteIdentity(expected, stage);
        long nearestBytes = stage < FirstWithNearest ? 0 : size.Count * size.NearestRowBytes;
        bool isSame = header.AsSpan(0, IdentityBytes).SequenceEqual(expected) && stage is >= 1 and <= Last
            && reader.Length == HeaderBytes + size.LinkTableBytes + nearestBytes;
        if (!isSame)
        {
            BuildLog.KeptOfAnother(run.Target.Logger, run.Target.Directory);
            return 0;
        }

        LinkTable? links = null;
        NearestTable? nearest = null;
        try
        {
            links = new LinkTable((int)size.Count, size.MaxDegree, run.Paging, "kept-links");
            if (size.Options.KeptNearest > 0)
                nearest = new NearestTable((int)size.Count, size.Options.KeptNearest, run.Paging);
            Read(reader, HeaderBytes, links, run);
            if (nearestBytes > 0)
                Read(reader, HeaderBytes + size.LinkTableBytes, nearest!, run);
        }
        catch
        {
            links?.Dispose();
            nearest?.Dispose();
            throw;
        }

        work.TakeLinks(links);
        work.Nearest = nearest;
        ReadReport(header);
        return stage;
    }

    private static ScratchReader Open(string path, BuildRun run)
    {
        try
        {
            return new ScratchReader(path, new(), run.Target.Logger, run.Paging?.OpenDevice);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DeviceException($"{path}: expected a file that can be read: {e.Message}", e);
        }
    }

    private static long BytesOf(RowTable? table) => table is null ? 0 : (long)table.Count * table.RowBytes;

    private static void Write(ScratchWriter writer, RowTable table, BuildRun run)
    {
        using PageLease lease = PageLease.Rent(run.Paging);
        foreach ((int first, int count) in table.Batches(lease, run.CancellationToken))
            writer.Write(table.Stretch(first, count));
    }

    private static void Read(ScratchReader reader, long offset, RowTable table, BuildRun run)
    {
        using PageLease lease = PageLease.Rent(run.Paging);
        foreach ((int first, int count) in table.Batches(lease, run.CancellationToken))
        {
            fixed (byte* rows = table.StretchToWrite(first, count))
                reader.Read(offset + ((long)first * table.RowBytes), rows, (long)count * table.RowBytes);
        }
    }

    private void WriteIdentity(Span<byte> header, int stage)
    {
        Magic.CopyTo(header);
        BinaryPrimitives.WriteUInt64LittleEndian(header[8..], Identity());
        BinaryPrimitives.WriteInt32LittleEndian(header[16..], stage);
    }

    private void WriteReport(Span<byte> header)
    {
        GraphReport report = work.Report;
        int[] counts =
            [report.ReachableBeforeRepair, report.Reachable, report.LinksAdded, report.Checked, report.FoundThemselves];
        for (int i = 0; i < counts.Length; i++)
            BinaryPrimitives.WriteInt32LittleEndian(header[(20 + (i * sizeof(int)))..], counts[i]);
        BinaryPrimitives.WriteDoubleLittleEndian(header[40..], report.MeanDegree);
        BinaryPrimitives.WriteInt64LittleEndian(header[48..], report.Distances);
        BinaryPrimitives.WriteInt64LittleEndian(header[56..], work.Context?.Effort.Distances ?? 0);
    }

    private void ReadReport(ReadOnlySpan<byte> header)
    {
        GraphReport report = work.Report;
        report.ReachableBeforeRepair = BinaryPrimitives.ReadInt32LittleEndian(header[20..]);
        report.Reachable = BinaryPrimitives.ReadInt32LittleEndian(header[24..]);
        report.LinksAdded = BinaryPrimitives.ReadInt32LittleEndian(header[28..]);
        report.Checked = BinaryPrimitives.ReadInt32LittleEndian(header[32..]);
        report.FoundThemselves = BinaryPrimitives.ReadInt32LittleEndian(header[36..]);
        report.MeanDegree = BinaryPrimitives.ReadDoubleLittleEndian(header[40..]);
        report.Distances = BinaryPrimitives.ReadInt64LittleEndian(header[48..]);
        work.RequireContext().Effort.Add(BinaryPrimitives.ReadInt64LittleEndian(header[56..]));
    }

    // Of the library, the vectors with their keys, and all options on which links depend; threads and memory are not among them.
    private ulong Identity()
    {
        GraphParameters parameters = work.Parameters;
        string? library = typeof(GraphSnapshot).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;
        string text = string.Create(
            CultureInfo.InvariantCulture,
            $"{Format} {library} {work.PointsHash} {size.Vectors} {parameters.MaxDegree} {parameters.ListSize} {parameters.Alpha} "
            + $"{parameters.Seed}");
        var hash = new ContentHash();
        hash.Add(Encoding.UTF8.GetBytes(text));
        return hash.Value;
    }
}
