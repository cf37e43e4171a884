using VectorPipe.Pipeline.Streams;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Opening;

/// <summary>Reads every page of every file and says what is wrong with each.</summary>
/// <remarks>
/// One verification of one generation; its threads share it. All files are opened before a page is read, so a build that publishes
/// meanwhile, and deletes the names, changes nothing.
/// </remarks>
internal sealed unsafe class IndexVerifier : IDisposable
{
    /// <summary>Defects beyond this many are counted, not described.</summary>
    private const int MaxDescribed = 1000;

    /// <summary>Pages that a thread reads on end: enough for its look-ahead.</summary>
    private const int PiecePages = 1024;

    private const int PagesPerReport = 256;
    private const int MaxAttempts = 5;

    private readonly string _directory;
    private readonly Manifest _manifest;
    private readonly IndexKindOperations _kind;
    private readonly NodeLayout _layout;
    private readonly OriginalVectorLayout _vectors;
    private readonly int _threads;
    private readonly IProgress<BuildProgress>? _progress;
    private readonly CancellationToken _cancellationToken;
    private readonly Dictionary<FileRole, VerifiedFile> _files = [];
    private readonly List<string> _defects = [];
    private readonly Lock _gate = new();
    private readonly long _total;
    private KeyDirectoryCheck? _keys;
    private IPageCheck? _pages;
    private long _done;
    private long _found;

    private IndexVerifier(
        string directory, Manifest manifest, int threads, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        _directory = directory;
        _manifest = manifest;
        _kind = IndexKinds.Of(manifest.Schema);
        _layout = manifest.Schema.CreateLayout();
        _vectors = new OriginalVectorLayout(manifest.Schema.ElementType, manifest.Schema.Dimension);
        _threads = threads;
        _progress = progress;
        _cancellationToken = cancellationToken;
        _total = manifest.Files.Sum(file => file.PageCount);
    }

    private delegate void PageInspector(in ReadBuffer page, IPageComparison? comparison);

    /// <summary>Verifies an index.</summary>
    /// <param name="directory">The index directory.</param>
    /// <param name="threads">Threads that read.</param>
    /// <param name="progress">Receives the pages done; may be null.</param>
    /// <param name="cancellationToken">Cancels the verification.</param>
    /// <param name="onOpening">Called between the manifest and the files that it names; null for nothing. For tests.</param>
    public static VerifyReport Verify(
        string directory, int threads, IProgress<BuildProgress>? progress, CancellationToken cancellationToken, Action? onOpening = null)
    {
        for (int attempt = 1; ; attempt++)
        {
            Manifest manifest = IndexDirectory.ReadManifest(directory);
            onOpening?.Invoke();
            using var verifier = new IndexVerifier(directory, manifest, threads, progress, cancellationToken);

            // A writer that has published meanwhile deletes the files of this generation: the new one is the index then.
            if (verifier.TryOpen() || attempt == MaxAttempts || IndexDirectory.ReadManifest(directory).Generation == manifest.Generation)
                return verifier.Run();
        }
    }

    /// <summary>Closes the files.</summary>
    public void Dispose()
    {
        foreach (VerifiedFile file in _files.Values)
            file.Dispose();
        _keys?.Dispose();
    }

    /// <summary>Opens the files. False if one could not be opened, which is a defect.</summary>
    private bool TryOpen()
    {
        foreach (FileEntry entry in _manifest.Files)
            Attempt(() => _files.Add(entry.Role, VerifiedFile.Open(_directory, entry, _manifest.IndexId)));
        return _files.Count == _manifest.Files.Count;
    }

    private VerifyReport Run()
    {
        // What pages are held against comes first: places of lists, then keys.
        Verify(FileRole.Lists);
        if (_found == 0 || !_manifest.Schema.Shape.HasFile(FileRole.Lists))
            Attempt(
                () => _pages = _manifest.Schema.Shape.OpenCheck(_manifest, entry => _files[entry.Role].Reader.Share(), _cancellationToken));
        Verify(FileRole.Keys);
        foreach (FileEntry entry in _manifest.Files.Where(entry => entry.Role is not (FileRole.Lists or FileRole.Keys)))
            Verify(entry.Role);

        // Node pages are read once more, but only where all files are sound on their own.
        if (_found == 0 && OpenComparison() is { } open)
            ReadPages(_files[FileRole.Nodes], 1, open, Compare);
        if (_found > _defects.Count)
            _defects.Add($"... and {_found - _defects.Count} more.");
        return new VerifyReport(_total, _defects);
    }

    private void Verify(FileRole role)
    {
        // If header or length is wrong, the other pages may still tell more, but they would only repeat it.
        if (!_files.TryGetValue(role, out VerifiedFile? file) || !Attempt(() => _kind.CheckShape(file.Reader, _manifest)))
            return;
        long before = _found;
        ReadPages(file, 0, static () => null, (in page, _) => Inspect(file, page));
        if (_found > before)
            return;
        if (role == FileRole.Keys)
            Attempt(() => _keys = KeyDirectoryCheck.Walk(file.Reader, file.Device, _manifest, _cancellationToken));
        else
            Attempt(() => _kind.CheckContent(file.Reader, _manifest, _cancellationToken));
    }

    private Func<IPageComparison>? OpenComparison()
    {
        if (_files.TryGetValue(FileRole.Vectors, out VerifiedFile? vectors))
            return () => new RoundingCheck(_manifest, _layout, vectors.Reader, vectors.Device);
        return _layout.ReplicasPerPage > 0 ? () => new ReplicaCheck(_files[FileRole.Nodes].Reader.Share(), _layout) : null;
    }

    /// <summary>Reads the pages of a file on all threads, and goes on behind those that are damaged or cannot be read.</summary>
    private void ReadPages(VerifiedFile file, long first, Func<IPageComparison?> openComparison, PageInspector inspect)
    {
        var pieces = new PieceCounter(first, file.Entry.PageCount, PiecePages);
        Parallel.For(
            0,
            _threads,
            new ParallelOptions { MaxDegreeOfParallelism = _threads, CancellationToken = _cancellationToken },
            _ =>
            {
                using IPageComparison? comparison = openComparison();
                using var pages =
                    new PageScan(file.Device, file.Reader.FilePath, file.Entry, _manifest.Schema.Shape.KindOf(file.Entry.Role), pieces);
                int read = 0;
                bool isMore = true;
                Action step = () =>
                {
                    isMore = pages.TryGetNext(out ReadBuffer page, _cancellationToken);
                    if (isMore)
                        inspect(page, comparison);
                };
                while (isMore)
                {
                    Attempt(step);
                    if (isMore && ++read < PagesPerReport)
                        continue;
                    _cancellationToken.ThrowIfCancellationRequested();
                    if (first == 0)
                        _progress?.Report(new BuildProgress("verify", Interlocked.Add(ref _done, read), _total));
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
            FileRole.Vectors => new OriginalVectorPage(page.Bytes, _vectors).FindDefect(page.State, _manifest.Schema.Count),
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

    /// <summary>Whether something went well; what did not is reported.</summary>
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
