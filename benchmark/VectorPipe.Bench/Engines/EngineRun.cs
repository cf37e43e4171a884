using System.Diagnostics;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Bench.Generation;
using VectorPipe.Measuring.Latency;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Engines;

/// <summary>Many collections of one engine: they are made, opened, and searched one after another.</summary>
internal sealed class EngineRun(EngineBenchArguments arguments, ToolConsole console)
{
    private readonly SyntheticVectors _vectors =
        new("clusters", VectorElementType.Float32, arguments.Dimension, arguments.Seed);

    private readonly int _threadsBefore = CountThreads();

    private string Folder => Path.Combine(arguments.DataFolder, $"{arguments.Verb}.collections");

    /// <summary>Makes the collections: one with its records, and copies of it.</summary>
    public async Task CreateAsync(CancellationToken cancellationToken)
    {
        if (VectorCollection.Exists(PathOf(0)))
            Directory.Delete(Folder, recursive: true);
        float[] rows = Rows(VectorStream.Base, arguments.Points);
        await using (VectorSource source = VectorSource.FromMemory<float>(rows, arguments.Dimension))
        await using (var first = await VectorCollection<ulong>.OpenAsync(
            PathOf(0), new CollectionSchema { Dimension = arguments.Dimension }, cancellationToken: cancellationToken))
            await first.ImportAsync(source, cancellationToken: cancellationToken);
        string[] files = Directory.GetFiles(PathOf(0), "*", SearchOption.AllDirectories);
        for (int copy = 1; copy < arguments.Collections; copy++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            foreach (string file in files)
            {
                string to = Path.Combine(PathOf(copy), Path.GetRelativePath(PathOf(0), file));
                Directory.CreateDirectory(Path.GetDirectoryName(to)!);
                File.Copy(file, to);

                // On disk, as those that a collection writes itself: reads of others begin with a wait, in threads of the kernel.
                using SafeFileHandle copied = File.OpenHandle(to, access: FileAccess.ReadWrite);
                RandomAccess.FlushToDisk(copied);
            }
        }
    }

    /// <summary>Opens all and searches all.</summary>
    public async Task<IReadOnlyList<EngineResultRow>> MeasureAsync(int threads, CancellationToken cancellationToken)
    {
        float[] queries = Rows(VectorStream.Query, arguments.Collections);
        var collections = new VectorCollection<ulong>?[arguments.Collections];
        using var engine = new VectorPipeEngine(new VectorPipeEngineOptions { SearchThreads = threads });
        var options = new CollectionOptions
        {
            Open = new OpenOptions { Engine = engine, Device = arguments.ToDeviceOptions(), LoggerFactory = console.Logging },
        };
        try
        {
            List<EngineResultRow> rows =
            [
                await EachAsync("open", threads, async i =>
                    collections[i] = await VectorCollection<ulong>.OpenAsync(PathOf(i), options, cancellationToken)),
            ];
            for (int pass = 1; pass <= arguments.Passes; pass++)
            {
                rows.Add(await EachAsync($"search {pass}", threads, async i =>
                {
                    ReadOnlyMemory<float> query = queries.AsMemory(i * arguments.Dimension, arguments.Dimension);
                    CollectionResult<ulong> found =
                        await collections[i]!.SearchAsync<float>(query, arguments.K, cancellationToken: cancellationToken);
                    int expected = Math.Min(arguments.K, arguments.Points);
                    if (found.Count != expected)
                        throw new InvalidDataException($"{PathOf(i)}: expected {expected} hits, found {found.Count}");
                }));
            }

            return rows;
        }
        finally
        {
            foreach (VectorCollection<ulong>? collection in collections)
            {
                if (collection is not null)
                    await collection.DisposeAsync();
            }
        }
    }

    private async Task<EngineResultRow> EachAsync(string kind, int threads, Func<int, Task> operation)
    {
        var latencies = new LatencyHistogram();
        using Process process = Process.GetCurrentProcess();
        TimeSpan cpu = process.TotalProcessorTime;
        long began = Stopwatch.GetTimestamp();
        for (int i = 0; i < arguments.Collections; i++)
        {
            long from = Stopwatch.GetTimestamp();
            await operation(i);
            latencies.Record((long)Stopwatch.GetElapsedTime(from).TotalNanoseconds);
        }

        double seconds = Stopwatch.GetElapsedTime(began).TotalSeconds;
        process.Refresh();
        int processThreads = CountThreads();
        return new EngineResultRow(
            kind, threads, latencies, seconds, (process.TotalProcessorTime - cpu).TotalSeconds, process.WorkingSet64, processThreads,
            processThreads - _threadsBefore);
    }

    private static int CountThreads()
    {
        using Process process = Process.GetCurrentProcess();
        return process.Threads.Count;
    }

    private float[] Rows(VectorStream stream, int count)
    {
        var rows = new float[count * arguments.Dimension];
        for (int row = 0; row < count; row++)
            _vectors.Fill(MemoryMarshal.AsBytes(rows.AsSpan(row * arguments.Dimension, arguments.Dimension)), stream, row);
        return rows;
    }

    private string PathOf(int number) => Path.Combine(Folder, $"{number:D6}");
}
