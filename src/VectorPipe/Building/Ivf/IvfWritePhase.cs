using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Shuffling;
using VectorPipe.Building.Writing;
using VectorPipe.Model.Open;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Scratch;

namespace VectorPipe.Building.Ivf;

/// <summary>
/// Writes vectors, codes, code book and lists from shuffled rows, each list from a page of its own, and collects the keys.
/// </summary>
internal sealed class IvfWritePhase(IvfBuildSize shape, IvfWork work, IvfShufflePhase shuffle, KeyDirectoryOptions keys) : WorkPhase
{
    // Bytes of lists that are read together, unless memory is short; a longer list is read alone.
    private const long MostWindowBytes = 16 * MachineModel.MiB;

    private long _windowBytes = shape.LargestListBytes;

    public override string Name => "write";

    public override long ScratchBytes => shuffle.ScratchBytes;

    public override PhaseNeeds Needs(int threads, bool isPaged)
    {
        long held = (threads * MachineModel.ThreadBytes) + shape.QuantizerBytes + (MachineModel.KeyBytes * shape.Count)
            + shape.Largest.StreamLength;
        held += (shape.Largest.Lists * 6L * sizeof(long)) + (2L * ScratchReader.MemoryBytes) + MachineModel.WriterBytes
            + shape.LargestListBytes;
        return new PhaseNeeds(held);
    }

    public override long Grow(long? room, int threads)
    {
        long more = Math.Min(room ?? long.MaxValue, Math.Max(0, MostWindowBytes - _windowBytes));
        _windowBytes += more;
        return more;
    }

    public override double Seconds(int threads) => shape.Vectors.Seconds(shape.Count, 1.7, shape.IsCoded ? 2 : 1);

    public override void Run(BuildRun run)
    {
        BuildTarget target = run.Target;
        IvfDirectory directory = work.Directory!;
        using var partitions = new ShuffledPartitions(
            work.Shuffled!, IvfShufflePhase.Paths(target), new DeviceOptions(), target.Io, target.Logger, traffic: run.Shuffles);
        work.KeyDirectory = new KeyDirectoryWriter<uint>((int)shape.Count, keys);
        using var vectors = new IvfVectorWriter(
            PathOf(target, FileRole.Nodes), work.Schema!.CreateLayout(), directory, work.IndexId, target.Generation, target.Io);
        using IvfCodeWriter? codes = work.Quantizer is not { } quantizer
            ? null
            : new IvfCodeWriter(
                PathOf(target, FileRole.Codes), quantizer, run.Threads, directory, work.IndexId, target.Generation, target.Io);
        long written = 0;
        for (int first = 0, end; first < directory.Count; first = end)
        {
            end = partitions.WindowEnd(first, _windowBytes);
            using PointTable window = Read(partitions, first, end);
            for (int list = first, row = 0; list < end; list++)
            {
                run.CancellationToken.ThrowIfCancellationRequested();
                int rows = directory.Rows(list);
                for (int i = 0; i < rows; i++)
                    work.KeyDirectory.Add(window.Key(row + i), directory.FirstId(list) + (uint)i);
                vectors.Add(window, row, rows);
                codes?.Add(window, row, rows, run.CancellationToken);
                row += rows;
                written += rows;
                run.Report(this, written, shape.Count);
            }
        }

        work.Files.Add(vectors.Complete());
        if (codes is not null)
        {
            work.Files.Add(codes.Complete());
            var writer = new IndexFilesWriter(target.Directory, work.IndexId, target.Generation, target.Io);
            work.Files.Add(writer.WriteCodeBook(work.Quantizer!));
        }

        work.Files.Add(WriteLists(target, directory, work.Centroids!));
    }

    private static string PathOf(BuildTarget target, FileRole role) =>
        Path.Combine(target.Directory, IndexDirectory.FileName(role, target.Generation));

    private unsafe PointTable Read(ShuffledPartitions partitions, int first, int end)
    {
        BuildSize size = shape.Vectors;
        int rows = checked((int)partitions.RowsOf(first, end));
        var window = new PointTable(size.Metric, size.Type, size.Dimension, rows);
        try
        {
            fixed (byte* records = window.StretchToWrite(0, rows))
                partitions.Read(first, end, records, (long)rows * window.RowBytes);
            return window;
        }
        catch
        {
            window.Dispose();
            throw;
        }
    }

    private FileEntry WriteLists(BuildTarget target, IvfDirectory directory, CentroidGraph graph)
    {
        using var writer = new PagedStreamWriter(
            PathOf(target, FileRole.Lists), FileRole.Lists, work.IndexId, target.Generation, work.Schema!.Lists!.StreamLength, target.Io);
        writer.Write(graph.Centroids);
        writer.Write(graph.Links);
        for (int list = 0; list < directory.Count; list++)
        {
            uint rows = (uint)directory.Rows(list);
            writer.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<uint>(in rows)));
        }

        writer.Complete();
        return writer.Entry;
    }
}
