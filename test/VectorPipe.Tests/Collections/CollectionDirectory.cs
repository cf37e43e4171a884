using VectorPipe.Model.Collections;
using VectorPipe.Storage.Files;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections;

/// <summary>A directory for a collection, deleted at the end with the backup beside it; opened so that nothing waits for the
/// disk.</summary>
internal sealed class CollectionDirectory : IDisposable
{
    /// <summary>Few queries of a calibration, which takes half of a small build otherwise.</summary>
    public const int CalibrationQueries = 24;

    /// <summary>Small: one thread of each kind, segments of 256 KiB, small graphs.</summary>
    public static CollectionOptions Options { get; } = new()
    {
        Open = new OpenOptions { DeviceKind = DeviceKind.Portable, SearchThreads = 1 },
        Build = new BuildOptions { Threads = 1 },
        Tuning = new CollectionTuning { SegmentBlocks = 64, CalibrationQueries = CalibrationQueries },
    };

    public string Path { get; } = System.IO.Directory.CreateTempSubdirectory("vectorpipe-collection-").FullName;

    public Task<VectorCollection<TKey>> OpenAsync<TKey>(
        CollectionOptions? options = null, IStorageIo? io = null, CollectionSchema? schema = null)
        where TKey : notnull =>
        VectorCollection<TKey>.OpenAsync(
            Path, schema ?? CollectionModel<TKey>.Schema, options ?? Options, io ?? new UnsyncedStorageIo(refuses: false), default);

    /// <summary>The directory for a backup of a collection, beside it.</summary>
    public static string BackupOf(string directory) => directory + "-backup";

    public void Dispose()
    {
        System.IO.Directory.Delete(Path, recursive: true);
        if (System.IO.Directory.Exists(BackupOf(Path)))
            System.IO.Directory.Delete(BackupOf(Path), recursive: true);
    }
}
