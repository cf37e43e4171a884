using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Opening;

/// <summary>Reads every page of every file and describes the defects.</summary>
/// <remarks>
/// One verification of one generation; its threads share it. It opens all files before it reads a page, so a build that publishes
/// meanwhile, and deletes the files, changes nothing.
/// </remarks>
internal sealed unsafe class IndexVerifier(
    string directory, Manifest manifest, bool withNodes, int threads, IProgress<BuildProgress>? progress,
    Func<IReadOnlyList<string>, IDevice>? openDevice, CancellationToken cancellationToken) : IDisposable
{
    private const int MaxDescribed = 1000;

    // Consecutive pages of a thread: enough for its look-ahead.
    private const int PiecePages = 1024;
    private const int PagesPerReport = 256;
    private const int MaxAttempts = 5;

    private readonly IndexKindOperations _kind = IndexKinds.Of(manifest.Schema);
    private readonly NodeLayout _layout = manifest.Schema.CreateLayout();
    private readonly OriginalVectorLayout _vectors = new(manifest.Schema.ElementType, manifest.Schema.Dimension);
    private readonly Dictionary<FileRole, VerifiedFile> _files = [];
    private readonly List<string> _defects = [];
    private readonly Lock _gate = new();
    private readonly FileEntry[] _named = [.. manifest.Files.Where(file => withNodes || file.Role != FileRole.Nodes)];
    private readonly long _total = manifest.Files.Where(file => withNodes || file.Role != FileRole.Nodes).Sum(file => file.PageCount);
    private KeyDirectoryCheck? _keys;
    private IPageCheck? _pages;
    private long _done;
    private long _found;

    private delegate void PageInspector(in ReadBuffer page, IPageComparison? comparison);

    /// <summary>Verifies an index.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="threads">Threads that read.</param>
    /// <param name="progress">Receives the pages done; may be null.</param>
    /// <param name="cancellationToken">Cancels the verification.</param>
    /// <param name="onOpening">For tests: called after the manifest is read, before its files are opened; may be null.</param>
    /// <param name="openDevice">Opens the device of each file; null for the default.</param>
    /// <param name="withNodes">Whether node pages are read: those that checkpoints have written lie elsewhere.</param>
    public static VerifyReport Verify(
        string directory, int threads, IProgress<BuildProgress>? progress, CancellationToken cancellationToken, Action? onOpening = null,
        Func<IReadOnlyList<string>, IDevice>? openDevice = null, bool withNodes = true)
    {
        openDevice = CheckedDevice.Of(openDevice);
        for (int attempt = 1; ; attempt++)
        {
            Manifest manifest = IndexDirectory.ReadManifest(directory);
            onOpening?.Invoke();
            using var verifier = new IndexVerifier(directory, manifest, withNodes, threads, progress, openDevice, cancellationToken);

            // A writer that has published a new generation deletes the files of this one: verify the new one.
            if (verifier.TryOpen() || attempt == MaxAttempts || IndexDirectory.ReadManifest(directory).Generation == manifest.Generation)
                return verifier.Run();
        }
    }

    public void Dispose()
    {
        foreach (VerifiedFile file in _files.Values)
            file.Dispose();
        _keys?.Dispose();
    }

    /// <summary>Opens the files. False if one cannot be opened, which is a defect.</summary>
    private bool TryOpen()
    {
        foreach (FileEntry entry in _named)
            Attempt(() => _files.Add(entry.Role, VerifiedFile.Open(directory, entry, manifest, openDevice)));
        return _files.Count == _named.Length;
    }

    private VerifyReport Run()
    {
        // First what node pages are checked against: places of lists, then keys.
        Verify(FileRole.Lists);
        if (_found == 0 || !manifest.Schema.Shape.HasFile(FileRole.Lists))
            Attempt(
                () => _pages = manifest.Schema.Shape.OpenCheck(manifest, entry => _files[entry.Role].Reader.Share(), cancellationToken));
        Verify(FileRole.Keys);
        foreach (FileEntry entry in _named.Where(entry => entry.Role is not (FileRole.Lists or FileRole.Keys)))
            Verify(entry.Role);

        // Compare copies of vectors only if all files are sound on their own: this reads node pages once more.
        if (_found == 0 && withNodes && OpenComparison() is { } open)
            ReadPages(_files[FileRole.Nodes], 1, open, Compare);
        if (_found > _defects.Count)
            _defects.Add($"... and {_found - _defects.Count} more.");
        return new VerifyReport(_total, _defects);
    }

    private void Verify(FileRole role)
    {
        // With a wrong header or length, further pages would only repeat the defect.
        if (!_files.TryGetValue(role, out VerifiedFile? file) || !Attempt(() => _kind.CheckShape(file.Reader, manifest)))
            return;
        long before = _found;
        ReadPages(file, 0, static () => null, (in page, _) => Inspect(file, page));
        if (_found > before)
            return;
        if (role == FileRole.Keys)
            Attempt(() => _keys = KeyDirectoryCheck.Walk(file.Reader, file.Device, manifest, cancellationToken));
        else
            Attempt(() => _kind.CheckContent(file.Reader, manifest, cancellationToken));
    }

    private Func<IPageComparison>? OpenComparison()
    {
        if (_files.TryGetValue(FileRole.Vectors, out VerifiedFile? vectors))
            return () => new RoundingCheck(manifest, _layout, vectors.Reader, vectors.Device);
        return _layout.ReplicasPerPage > 0 ? () => new ReplicaCheck(_files[FileRole.Nodes].Reader.Share(), _layout) : null;
    }

    /// <summary>Reads the pages of a file on all threads; goes on behind those that are damaged or cannot be read.</summary>
    private void ReadPages(VerifiedFile file, long first, Func<IPageComparison?> openComparison, PageInspector inspect)
    {
        var pieces = new PieceCounter(first, file.Entry.PageCount, PiecePages);
        Parallel.For(
            0,
            threads,
            new ParallelOptions { MaxDegreeOfParallelism = threads, CancellationToken = cancellationToken },
            _ =>
            {
                using IPageComparison? comparison = openComparison();
                using var pages =
                    new PageScan(file.Device, file.Reader.FilePath, file.Entry, manifest.Schema.Shape.KindOf(file.Entry.Role), pieces);
                int read = 0;
                bool isMore = true;
                Action step = () =>
                {
                    isMore = pages.TryGetNext(out ReadBuffer page, cancellationToken);
                    if (isMore)
                        inspect(page, comparison);
                };
                while (isMore)
                {
                    Attempt(step);
                    if (isMore && ++read < PagesPerReport)
                        continue;
                    cancellationToken.ThrowIfCancellationRequested();
                    if (first == 0)
                        progress?.Report(new BuildProgress("verify", Interlocked.Add(ref _done, read), _total));
                    read = 0;
                }
            });
    }

    private void Inspect(VerifiedFile file, in ReadBuffer page)
    {
        if (page.State == 0)
            return;
        string? defect = file.Entry.Role switch
        {
            FileRole.Vectors => new OriginalVectorPage(page.Bytes, _vectors).FindDefect(page.State, manifest.Schema.Count),
            FileRole.Nodes => _pages?.FindDefect(new NodePage(page.Pointer, _layout), page.State - 1, _keys),
            FileRole.Codes => _pages?.FindCodeDefect(page.Bytes, page.State - 1),
            _ => null,
        };
        if (defect is not null)
            throw new IndexCorruptException(file.Reader.FilePath, page.State, defect);
    }

    private void Compare(in ReadBuffer page, IPageComparison? comparison)
    {
        if (comparison!.FindDefect(new NodePage(page.Pointer, _layout), page.State - 1) is { } defect)
            throw new IndexCorruptException(_files[FileRole.Nodes].Reader.FilePath, page.State, defect);
    }

    /// <summary>Runs an action; false if it found a defect, which is noted.</summary>
    private bool Attempt(Action action)
    {
        try
        {
            action();
            return true;
        }
        catch (Exception e) when (e is IndexCorruptException or DeviceException)
        {
            lock (_gate)
            {
                _found++;
                if (_defects.Count < MaxDescribed)
                    _defects.Add(e.Message);
            }

            return false;
        }
    }
}
