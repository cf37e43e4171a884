using Microsoft.Win32.SafeHandles;
using VectorPipe.Collections.Columns;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Manifests;
using VectorPipe.Collections.Writing;
using VectorPipe.Opening;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Log;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections;

/// <summary>Reads all files of a collection and describes the defects, while others may write to it.</summary>
/// <remarks>One verification of one manifest.</remarks>
internal sealed class CollectionVerifier
{
    private const int MaxAttempts = 5;

    private readonly CollectionFolder _folder;
    private readonly CollectionManifest _manifest;
    private readonly CancellationToken _cancellationToken;
    private readonly List<string> _defects = [];
    private long _pages;

    private CollectionVerifier(CollectionFolder folder, CollectionManifest manifest, CancellationToken cancellationToken)
    {
        _folder = folder;
        _manifest = manifest;
        _cancellationToken = cancellationToken;
    }

    /// <summary>Verifies a collection.</summary>
    public static VerifyReport Verify(
        CollectionFolder folder, int threads, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        using SafeFileHandle? reading = folder.HoldForReading();
        for (int attempt = 1; ; attempt++)
        {
            CollectionManifest manifest = folder.Read();
            var verifier = new CollectionVerifier(folder, manifest, cancellationToken);
            VerifyReport report = verifier.Run(threads, progress);

            // A checkpoint or a rebuild meanwhile has deleted files and recycled the log: verify what it has left.
            if (report.IsSound || attempt == MaxAttempts || IsInForce(folder.Read(), manifest))
                return report;
        }
    }

    private static bool IsInForce(CollectionManifest current, CollectionManifest verified) =>
        current.Log == verified.Log && current.Generation == verified.Generation && current.Checkpoint == verified.Checkpoint;

    private VerifyReport Run(int threads, IProgress<BuildProgress>? progress)
    {
        if (_manifest.Generation != 0)
        {
            string path = _folder.GenerationPath(_manifest.Generation);
            Check(() => CheckIndex(path, threads, progress));
            foreach (RecordFileInfo records in _manifest.LaterRecords.Concat(_manifest.Records is { } built ? [built] : []))
                Check(() => CheckRecords(path, records));
            if (_manifest.Columns is { } columns)
                Check(() => CheckColumns(path, columns));
        }

        CheckLog();
        return new VerifyReport(_pages, _defects);
    }

    private void CheckIndex(string path, int threads, IProgress<BuildProgress>? progress)
    {
        bool isChanged = _manifest.Changes.Count > 0;
        VerifyReport report = IndexVerifier.Verify(path, threads, progress, _cancellationToken, withNodes: !isChanged);
        _pages += report.Pages;
        _defects.AddRange(report.Defects);
        long vectors = VectorIndex.Inspect(path).Count;
        if (isChanged)
            CheckChanges();
        long records = _manifest.Records?.Shape.Entries ?? 0;
        bool isKeyed = _manifest.KeyType is KeyType.Guid or KeyType.String;
        if (records > vectors || (isKeyed && records < vectors))
            _defects.Add($"{path}: expected {(isKeyed ? "" : "at most ")}{vectors} records, one a vector, found {records}.");
    }

    private void CheckChanges()
    {
        CollectionGeneration generation = GenerationFiles.Open(_folder, _manifest, null, static _ => { })!;
        try
        {
            GraphChanges changes = generation.Latest.Changes!;
            _defects.AddRange(new ChangedVerifier(generation, changes, _cancellationToken).Run());
            _pages += changes.Pages + _manifest.Changes.Sum(file => file.PageCount);
        }
        finally
        {
            generation.Release();
        }
    }

    private void CheckRecords(string path, RecordFileInfo info)
    {
        using RecordFile records = RecordFile.Open(_folder.Io, path, info);
        _pages += info.Heap.PageCount + info.Directory.PageCount;
        records.Verify(_cancellationToken);
    }

    // Every page, and whether they say what follows from the records, unless something else is damaged.
    private void CheckColumns(string path, FileEntry columns)
    {
        using (ColumnFile file = ColumnFile.Open(_folder.Io, path, columns, _manifest.Records?.Identity ?? 0))
            file.Verify(_cancellationToken);
        _pages += columns.PageCount;
        if (_defects.Count > 0)
            return;
        CollectionGeneration generation = GenerationFiles.Open(_folder, _manifest, null, static _ => { })!;
        try
        {
            var loader = new ColumnLoader(generation, generation.Latest, [.. _manifest.Schema.Attributes], _cancellationToken);
            if (loader.LoadRecords().FindDifference(loader.Load()) is { } difference)
                _defects.Add($"{Path.Combine(path, columns.Name)}: {difference}.");
        }
        finally
        {
            generation.Release();
        }
    }

    // A group that is being appended looks torn to a reader; damage is still there at the last attempt.
    private void CheckLog()
    {
        var log = new LogFolder(_folder.Path, _manifest.Id, _folder.Io);
        for (int attempt = 1; attempt < MaxAttempts; attempt++)
        {
            int before = _defects.Count;
            Check(() => ReadLog(log));
            if (_defects.Count == before)
                return;
            _defects.RemoveRange(before, _defects.Count - before);
        }

        Check(() => ReadLog(log));
    }

    private void ReadLog(LogFolder log)
    {
        (LogPosition end, _) = CollectionRecovery.Run(new CollectionState(), _manifest, generation: null, log, _cancellationToken);
        LogPosition start = _manifest.Log;
        _pages += end.Block - start.Block;
        for (uint segment = start.Segment; segment < end.Segment; segment++)
            _pages += log.BlocksOf(segment);
    }

    private void Check(Action check)
    {
        try
        {
            check();
        }
        catch (Exception e) when (e is VectorPipeException or IOException or UnauthorizedAccessException)
        {
            _defects.Add(e.Message);
        }
    }
}
