using System.Collections.Immutable;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>The files of a collection whose generation has room, built once.</summary>
internal sealed class Prepared<TKey>
    where TKey : notnull
{
    private readonly Once<Dictionary<string, byte[]>> _files;
    private readonly Once<(FaultyStorageIo Io, CrashScript<TKey> Script)> _whole;

    public Prepared(CrashRecords<TKey> records)
    {
        Records = records;
        _files = new(BuildAsync);
        _whole = new(RunAsync);
    }

    public CrashRecords<TKey> Records { get; }

    /// <summary>Puts the files into a directory.</summary>
    /// <returns>The history so far.</returns>
    public async Task<CrashHistory> RestoreAsync(string directory)
    {
        CrashFiles.Restore(directory, await _files.GetAsync());
        var history = new CrashHistory();
        history.Begin(Enumerable.Range(0, CheckpointSizes.Count).ToImmutableSortedDictionary(key => key, _ => 1));
        history.Acknowledge();
        history.Flush();
        return history;
    }

    /// <summary>The script with checkpoints, run once without a fault: its operations, and what it has seen.</summary>
    public Task<(FaultyStorageIo Io, CrashScript<TKey> Script)> RunWholeAsync() => _whole.GetAsync();

    private async Task<(FaultyStorageIo Io, CrashScript<TKey> Script)> RunAsync()
    {
        var counter = new FaultyStorageIo(StorageFault.Death, int.MaxValue);
        using var folder = new CollectionDirectory();
        string directory = Path.Combine(folder.Path, "c");
        var script = new CrashScript<TKey>(directory, Records, counter, history: await RestoreAsync(directory));
        await script.RunCheckpointsAsync(CheckpointSizes.Count);
        return (counter, script);
    }

    private async Task<Dictionary<string, byte[]>> BuildAsync()
    {
        using var folder = new CollectionDirectory();
        await new CrashScript<TKey>(folder.Path, Records, new UnsyncedStorageIo(refuses: false)).BuildAsync(CheckpointSizes.Count);
        return CrashFiles.Read(folder.Path);
    }
}
