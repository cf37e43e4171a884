using System.Collections.Immutable;
using NUnit.Framework;
using VectorPipe.Tests.Collections.Rebuilding;

namespace VectorPipe.Tests.Collections.Crash;

/// <content>Scripts that checkpoints take in.</content>
internal sealed partial class CrashScript<TKey>
{
    /// <summary>Checkpoints, on top of a generation with room: keys 0 to <paramref name="count"/> - 1 in version 1.</summary>
    public async Task RunCheckpointsAsync(int count)
    {
        if (!await OpenAsync())
            return;
        _version = 10;
        await ReadAsync();
        for (int round = 0; round < 6; round++)
        {
            // The same keys are replaced, deleted and inserted again, others only once.
            int first = round * 20;
            int[] again = [.. Enumerable.Range(0, 5)], once = [.. Enumerable.Range(first + 10, 6)];
            await BatchAsync([.. again, .. once, count + round], [round % 5 + 5, first + 20, .. Enumerable.Range(count, round).Take(1)]);
            await SettleAsync();
            await UpsertAsync((round % 5) + 5);
            await DeleteAsync(round % 5);
            if (round == 3)
                await BackupAsync();
            if (round == 4)
                await FlushAsync();
        }

        await CompactBesideWritesAsync(count);
        await BatchAsync([.. Enumerable.Range(0, 12)], [count + 1]);
        await SettleAsync();
        await DeleteAsync(3);
        await CloseAsync();
    }

    // Checkpoints go on while the next generation is built, which then catches up.
    private async Task CompactBesideWritesAsync(int count)
    {
        using var stop = new StoppedProgress();
        Task<bool> compaction = _collection!.CompactAsync(stop);
        await Task.WhenAny(stop.Reached, compaction).WaitAsync(HangBound.Patience);
        for (int round = 0; round < 2; round++)
        {
            await BatchAsync([.. Enumerable.Range(round * 5, 10), count + round], [count + 2 + round, 30 + round]);
            CollectionStatus status;
            while ((status = _collection.Status) is { RebuildError: null, IsReadOnly: false } && !compaction.IsCompleted
                && status.Waiting >= CheckpointSizes.Tuning.LeastWaiting)
                await Task.Yield();

            // A checkpoint that fails here is made up for by the generation that comes.
            NoteMaintenance(status);
            See();
            await ReadAsync();
        }

        stop.GoOn();
        await CompactAsync(compaction);
        See();
    }

    /// <summary>A shorter one, for a second life.</summary>
    public async Task RunShortCheckpointsAsync(int count)
    {
        if (!await OpenAsync())
            return;
        _version = 50;
        SortedDictionary<int, int> found = await records.ReadAsync(_collection!);
        if (!History.Has(found, History.Acknowledged, History.Attempted))
            Assert.Fail($"{Context}: {History.Describe(found, History.Acknowledged, History.Attempted)}");
        History.Begin(found.ToImmutableSortedDictionary());
        History.Acknowledge();
        Stepped?.Invoke();
        for (int round = 0; round < 2; round++)
        {
            await BatchAsync([.. Enumerable.Range(round * 7, 14), count + 50], [count - 1 - round]);
            await SettleAsync();
        }

        await UpsertAsync(1);
        await CloseAsync();
    }
}
