using System.Globalization;
using VectorPipe.Collections.Generations;
using VectorPipe.Model.Collections;

namespace VectorPipe.Tool.Tests.Killing;

/// <summary>The process that is killed: its callers write by a plan and print each acknowledged operation.</summary>
/// <remarks>
/// The arguments are <c>write DIRECTORY SEED FIRST,FIRST,...</c>, with the first operation of each caller. The verb says whether
/// checkpoints and rebuilds begin by themselves, early and often, or rebuilds are asked for all the time.
/// </remarks>
internal static class WriterProgram
{
    public const string RebuildsVerb = "write", CheckpointsVerb = "write-checkpoints";

    /// <summary>Begins the line that follows a rebuild.</summary>
    public const string Rebuilt = "generation";

    /// <summary>Begins the line that follows a checkpoint.</summary>
    public const string CheckpointMade = "checkpoint";

    // Many checkpoints a second, and a rebuild after a dozen.
    private static readonly CollectionTuning _small = new()
    {
        LeastWaiting = 40,
        MostDue = 2,
        LeastWithRoom = 1000,
        LeastChangeBytes = 1 << 16,
    };

    public static async Task<int> Main(string[] args)
    {
        if (args is not [RebuildsVerb or CheckpointsVerb, var directory, var seed, var firsts])
            return ExitCodes.BadInput;

        // It writes for ever: if the tests are killed, nobody else ends it.
        _ = Task.Run(() =>
        {
            Console.In.ReadToEnd();
            Environment.Exit(ExitCodes.Unexpected);
        });
        bool hasCheckpoints = args[0] == CheckpointsVerb;
        var plan = new WriterPlan(int.Parse(seed, CultureInfo.InvariantCulture), hasCheckpoints);
        int[] first = [.. firsts.Split(',').Select(number => int.Parse(number, CultureInfo.InvariantCulture))];
        var options = new CollectionOptions
        {
            Open = new OpenOptions { SearchThreads = 1 },
            Build = new BuildOptions { Threads = 1 },
            Tuning = hasCheckpoints ? _small : new CollectionTuning(),
        };
        await using var collection = await VectorCollection<string>.OpenAsync(directory, WriterPlan.Schema, options);
        Task[] callers = [.. first.Select((n, caller) => Task.Run(() => WriteAsync(collection, plan, caller, n)))];
        Task rebuilds = Task.Run(() => hasCheckpoints ? WatchAsync(collection) : RebuildAsync(collection));
        await await Task.WhenAny([.. callers, rebuilds]);
        return ExitCodes.Unexpected;
    }

    private static async Task WriteAsync(VectorCollection<string> collection, WriterPlan plan, int caller, int first)
    {
        for (int n = first; ; n++)
        {
            (bool isDeletion, string[] keys) = plan.Operation(caller, n);
            if (isDeletion && keys.Length == 1)
            {
                await collection.DeleteAsync(keys[0]);
            }
            else if (keys.Length == 1)
            {
                await collection.UpsertAsync(
                    keys[0], plan.Vector(keys[0], n), WriterPlan.Attributes(keys[0], n), plan.Payload(keys[0], n));
            }
            else
            {
                WriteBatch<string> batch = collection.CreateBatch();
                foreach (string key in keys)
                {
                    if (isDeletion)
                        batch.Delete(key);
                    else
                        batch.Upsert(key, plan.Vector(key, n), WriterPlan.Attributes(key, n), plan.Payload(key, n));
                }

                await collection.WriteAsync(batch);
            }

            Print($"{caller} {n}");
        }
    }

    private static async Task RebuildAsync(VectorCollection<string> collection)
    {
        while (true)
        {
            if (await collection.CompactAsync())
                Print($"{Rebuilt} {collection.Status.Generation}");
            else
                await collection.FlushAsync();
        }
    }

    private static async Task WatchAsync(VectorCollection<string> collection)
    {
        CollectionView seen = collection.Store.State.View;

        // Writes come in while checkpoints run, so the next one may always be due: nobody can wait for the last one. To look without a
        // pause would take a processor from them.
        using var pause = new PeriodicTimer(TimeSpan.FromMilliseconds(1));
        while (await pause.WaitForNextTickAsync())
        {
            CollectionView view = collection.Store.State.View;
            if (view.Generation != seen.Generation)
                Print($"{Rebuilt} {view.Generation!.Number}");
            else if (view.Checkpoint != seen.Checkpoint)
                Print($"{CheckpointMade} {view.Checkpoint}");
            seen = view;
        }
    }

    // One write to the pipe, which outlives the process.
    private static void Print(string line)
    {
        lock (Console.Out)
        {
            Console.Out.WriteLine(line);
            Console.Out.Flush();
        }
    }
}
