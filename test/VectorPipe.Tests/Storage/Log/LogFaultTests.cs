using NUnit.Framework;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Log;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Storage.Log;

/// <summary>A workload meets every storage fault: acknowledged groups survive, and all groups stay in order.</summary>
[Parallelizable(ParallelScope.All)]
internal sealed class LogFaultTests
{
    private const int Groups = 24;

    [TestCase(StorageFault.IoError, 5)]
    [TestCase(StorageFault.ShortWrite, 5)]
    [TestCase(StorageFault.DiskFull, 5)]
    [TestCase(StorageFault.Death, 5)]
    [TestCase(StorageFault.DeathInWrite, 5)]
    [TestCase(StorageFault.IoError, 1, Category = "Heavy")]
    [TestCase(StorageFault.ShortWrite, 1, Category = "Heavy")]
    [TestCase(StorageFault.DiskFull, 1, Category = "Heavy")]
    [TestCase(StorageFault.Death, 1, Category = "Heavy")]
    [TestCase(StorageFault.DeathInWrite, 1, Category = "Heavy")]
    public void Each_operation_that_fails_closes_the_writer_and_loses_nothing_acknowledged(StorageFault fault, int every)
    {
        var counter = new FaultyStorageIo(fault, int.MaxValue);
        using (var log = new LogFiles())
            Run(log, counter);
        Assert.That(counter.Operations, Is.GreaterThan(60));

        // The kinds of faults begin at different operations, so that together they meet all of them.
        for (int failAt = (int)fault % every; failAt < counter.Operations; failAt += every)
        {
            using var log = new LogFiles();
            var io = new FaultyStorageIo(fault, failAt);
            (int acknowledged, int appended) = Run(log, io);
            Assert.That(io.Failed, Is.Not.Null, $"operation {failAt}");
            AssertPrefix(log.Read(), acknowledged, appended, $"{fault} at {io.Failed}");

            // The next process appends after the groups on disk.
            List<byte[]> found = [];
            using (LogWriter writer = log.Open(found))
            {
                writer.Append(LogFiles.Payload(99, 50));
                writer.Sync();
            }

            TestBytes.AssertEqual(log.Read(), [.. found, LogFiles.Payload(99, 50)], $"{fault} at {io.Failed}");
        }

        TestContext.Out.WriteLine($"faults: {counter.Operations / every}, {fault} in a log");
    }

    [Test]
    public void A_segment_whose_name_may_be_lost_is_not_written_to()
    {
        var counter = new FaultyStorageIo(StorageFault.IoError, int.MaxValue);
        using (var log = new LogFiles())
            RunReserved(log, counter);
        for (int failAt = 0; failAt < counter.Operations; failAt++)
        {
            using var log = new LogFiles();
            RunReserved(log, new FaultyStorageIo(StorageFault.IoError, failAt));
        }
    }

    [TestCase(0, 5)]
    [TestCase(0, 1, Category = "Heavy")]
    [TestCase(1, 1, Category = "Heavy")]
    public void Acknowledged_groups_survive_any_loss_of_power(int seed, int every)
    {
        using var log = new LogFiles();
        var io = new RecordingStorageIo();
        var syncs = new List<(int Operation, int Acknowledged)>();
        Run(log, io, acknowledged => syncs.Add((io.Operations.Count, acknowledged)));
        var power = new PowerLoss(log.Directory, new Dictionary<string, byte[]>(), io.Operations);
        var random = new Random(seed);
        int losses = 0;
        for (int end = 1; end <= io.Operations.Count; end += every)
        {
            int[] losable = power.Losable(end);
            for (int repeat = 0; repeat < 4; repeat++)
            {
                Dictionary<int, int> kept = losable.ToDictionary(i => i, i => Keep(io.Operations[i], random));
                using var after = new LogFiles();
                foreach ((string name, byte[] content) in power.Files(end, kept))
                    File.WriteAllBytes(Path.Combine(after.Directory, name), content);
                int acknowledged = syncs.Where(sync => sync.Operation <= end).Select(sync => sync.Acknowledged).LastOrDefault();
                AssertPrefix(after.Read(), acknowledged, Groups, $"seed {seed}, power lost before operation {end}");
                losses++;
            }
        }

        TestContext.Out.WriteLine($"faults: {losses}, losses of power in a log");
    }

    [Test]
    public void Opening_syncs_groups_that_a_killed_process_did_not_sync()
    {
        using var log = new LogFiles();
        using (LogWriter writer = log.Open([]))
            writer.Append([1]);
        for (int failAt = 0; ; failAt++)
        {
            var io = new FaultyStorageIo(StorageFault.IoError, failAt);
            Exception? error = null;
            try
            {
                log.Open([], io).Dispose();
            }
            catch (IOException e)
            {
                error = e;
            }

            Assert.That(io.Failed, Is.Not.Null, "no operation of the opening was a sync");
            Assert.That(error, Is.Not.Null, io.Failed);
            if (io.Failed!.Contains("sync file", StringComparison.Ordinal))
                return;
        }
    }

    /// <summary>The part of an operation on the disk: nothing, all, or whole sectors of a write.</summary>
    private static int Keep(StorageOperation operation, Random random) => random.Next(3) switch
    {
        0 => 0,
        1 => int.MaxValue,
        _ => operation.Bytes is { } bytes ? random.Next((bytes.Length / 512) + 1) * 512 : 1,
    };

    /// <summary>Appends groups, sometimes two before a sync, and releases segments; ends at the first error.</summary>
    // Room is made before each group. If that fails and the log goes on, the next segment has to be made anew.
    private static void RunReserved(LogFiles log, FaultyStorageIo io)
    {
        try
        {
            using LogWriter writer = log.Open([], io);
            for (int i = 0; i < Groups; i++)
            {
                writer.PrepareNext();
                byte[] payload = LogFiles.Payload(i, 1 + (i * 997 % (3 * LogBlock.PayloadSize)));
                if (writer.Reserve(payload.Length) is not null)
                {
                    Assert.That(File.Exists(log.PathOf(writer.End.Segment + 1)), Is.False, $"{io.Failed}");
                    continue;
                }

                writer.Append(payload);
                writer.Sync();
                if (i % 5 == 4)
                    writer.Release(writer.Durable);
            }
        }
        catch (IOException)
        {
            Assert.That(io.Failed, Is.Not.Null, "the writer is closed by what failed");
        }
    }

    private static (int Acknowledged, int Appended) Run(LogFiles log, IStorageIo io, Action<int>? synced = null)
    {
        int acknowledged = 0, appended = 0;
        LogWriter? writer = null;
        try
        {
            writer = log.Open([], io);
            for (int i = 0; i < Groups; i++)
            {
                writer.PrepareNext();
                appended++;
                writer.Append(LogFiles.Payload(i, 1 + (i * 997 % (3 * LogBlock.PayloadSize))));
                if (i % 3 == 1)
                    continue;
                writer.Sync();
                acknowledged = appended;
                synced?.Invoke(acknowledged);
            }
        }
        catch (Exception e) when (e is IOException or ProcessDeathException)
        {
            if (writer is not null && e is IOException)
                Assert.That(() => writer.Append([1]), Throws.InstanceOf<IOException>(), "a writer that failed refuses for good");
        }
        finally
        {
            writer?.Dispose();
        }

        return (acknowledged, appended);
    }

    private static void AssertPrefix(List<byte[]> found, int acknowledged, int appended, string context)
    {
        Assert.That(found, Has.Count.InRange(acknowledged, appended), context);
        for (int i = 0; i < found.Count; i++)
            TestBytes.AssertEqual(found[i], LogFiles.Payload(i, found[i].Length), $"{context}: group {i}");
    }
}
