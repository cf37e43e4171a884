using System.Collections.Immutable;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>The files of a collection whose generation has room, built once.</summary>
internal sealed class Prepared<TKey>(CrashRecords<TKey> records)
    where TKey : notnull
{
    private readonly Lock _gate = new();
    private Task<Dictionary<string, byte[]>>? _files;

    public CrashRecords<TKey> Records => records;

    /// <summary>Puts the files into a directory.</summary>
    /// <returns>The history so far.</returns>
    public async Task<CrashHistory> RestoreAsync(string directory)
    {
        CrashFiles.Restore(directory, await FilesAsync());
        var history = new CrashHistory();
        history.Begin(Enumerable.Range(0, CheckpointSizes.Count).ToImmutableSortedDictionary(key => key, _ => 1));
        history.Acknowledge();
        history.Flush();
        return history;
    }

    private Task<Dictionary<string, byte[]>> FilesAsync()
    {
        lock (_gate)
            return _files ??= BuildAsync(records);
    }

    private static async Task<Dictionary<string, byte[]>> BuildAsync(CrashRecords<TKey> records)
    {
        using var folder = new CollectionDirectory();
        await new CrashScript<TKey>(folder.Path, records, new UnsyncedStorageIo(refuses: false)).BuildAsync(CheckpointSizes.Count);
        return CrashFiles.Read(folder.Path);
    }
}
