using VectorPipe.Devices;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>Reads every page of every file and says what is wrong with each.</summary>
/// <remarks>One verification; its threads share it.</remarks>
internal sealed unsafe class IndexVerifier
{
    /// <summary>Defects beyond this many are counted, not described.</summary>
    private const int MaxDescribed = 1000;

    /// <summary>Pages that a thread reads on end: enough for its look-ahead.</summary>
    private const int PiecePages = 1024;

    private const int PagesPerReport = 256;

    private readonly string _directory;
    private readonly Manifest _manifest;
    private readonly NodeLayout _layout;
    private readonly GivenVectorLayout _vectors;
    private readonly int _threads;
    private readonly IProgress<BuildProgress>? _progress;
    private readonly CancellationToken _cancellationToken;
    private readonly List<string> _defects = [];
    private readonly Lock _gate = new();
    private readonly long _total;
    private KeyDirectoryCheck? _keys;
    private ListCheck? _lists;
    private long _done;
    private long _found;

    private IndexVerifier(string directory, int threads, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        _directory = directory;
        _manifest = IndexDirectory.ReadManifest(directory);
        _layout = _manifest.Schema.CreateLayout();
        _vectors = new GivenVectorLayout(_manifest.Schema.ElementType, _manifest.Schema.Dimension);
        _threads = threads;
        _progress = progress;
        _cancellationToken = cancellationToken;
        _total = _manifest.Files.Sum(file => file.PageCount);
    }

    private delegate void PageInspector(in ReadBuffer page, RoundingCheck? check);

    /// <summary>Verifies an index.</summary>
    public static VerifyReport Verify(string directory, int threads, IProgress<BuildProgress>? progress, CancellationToken cancellationToken) =>
        new IndexVerifier(directory, threads, progress, cancellationToken).Run();

    private VerifyReport Run()
    {
        Attempt(() => _lists = ListCheck.Open(_directory, _manifest, _cancellationToken));

        // The key directory comes first: it is what the keys of the nodes are compared with.
        foreach (FileEntry file in _manifest.Files.OrderBy(file => file.Role == FileRole.Keys ? 0 : 1))
        {
            long before = _found;
            if (!Attempt(() => new PageFileReader(_directory, file, _manifest.IndexId).Dispose()))
            {
                // Header or length is wrong; the other pages may still tell more, but they would only repeat it.
                continue;
            }

            ReadPages(file, 0, static () => null, (in page, _) => Inspect(file, page));
            if (file.Role == FileRole.Keys && _found == before)
                Attempt(() => _keys = KeyDirectoryCheck.Walk(_directory, _manifest, _cancellationToken));
        }

        // Node pages are read once more, but only where both files are sound on their own.
        if (_manifest.VectorFile is not null && _found == 0 && Attempt(() => RoundingCheck.Open(_directory, _manifest, _layout)?.Dispose()))
            ReadPages(_manifest.File(FileRole.Nodes), 1, () => RoundingCheck.Open(_directory, _manifest, _layout), Compare);
        if (_found > _defects.Count)
            _defects.Add($"... and {_found - _defects.Count} more.");
        return new VerifyReport(_total, _defects);
    }

    /// <summary>Reads the pages of a file on all threads, and goes on behind those that are damaged or cannot be read.</summary>
    private void ReadPages(FileEntry file, long first, Func<RoundingCheck?> openCheck, PageInspector inspect)
    {
        string path = Path.Combine(_directory, file.Name);
        using IDevice device = PageStream.Open(path);
        var pieces = new PieceCounter(first, file.PageCount, PiecePages);
        Parallel.For(
            0,
            _threads,
            new ParallelOptions { MaxDegreeOfParallelism = _threads, CancellationToken = _cancellationToken },
            _ =>
            {
                using RoundingCheck? check = openCheck();
                using var pages = new PageStream(device, path, file, KindOf(file.Role, _layout.PageKind, _manifest.Schema.Lists is not null), pieces);
                int read = 0;
                bool isMore = true;
                Action step = () =>
                {
                    isMore = pages.TryGetNext(out ReadBuffer page, _cancellationToken);
                    if (isMore)
                        inspect(page, check);
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

    private void Inspect(FileEntry file, in ReadBuffer page)
    {
        if (page.State == 0)
            return;
        string? defect = file.Role switch
        {
            FileRole.Vectors => new GivenVectorPage(page.Bytes, _vectors).FindDefect(page.State, _manifest.Schema.Count),
            FileRole.Nodes when _manifest.Schema.Lists is not null => _lists?.FindDefect(new NodePage(page.Pointer, _layout), (uint)(page.State - 1), _keys),
            FileRole.Codes when _manifest.Schema.Lists is not null => _lists?.FindDefect(page.Bytes, (uint)(page.State - 1)),
            FileRole.Nodes => FindDefect(new NodePage(page.Pointer, _layout), _manifest.Schema, _layout, _keys, page.State - 1),
            _ => null,
        };
        if (defect is not null)
            throw new IndexCorruptException(Path.Combine(_directory, file.Name), page.State, defect);
    }

    private void Compare(in ReadBuffer page, RoundingCheck? check)
    {
        if (check!.FindDefect(new NodePage(page.Pointer, _layout), page.State - 1) is { } defect)
            throw new IndexCorruptException(Path.Combine(_directory, _manifest.File(FileRole.Nodes).Name), page.State, defect);
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

    private static PageKind KindOf(FileRole role, PageKind nodes, bool isLists) => role switch
    {
        FileRole.Nodes => nodes,
        FileRole.Keys => PageKind.KeyBucket,
        FileRole.Codes when isLists => PageKind.ListCodes,
        FileRole.Vectors => PageKind.GivenVectors,
        _ => PageKind.Stream,
    };

    /// <summary>Tells what is wrong with the content of node page <paramref name="number"/> (from 0) whose checksum is right; null if nothing is. Without <paramref name="keys"/> the key directory is left aside.</summary>
    public static string? FindDefect(NodePage page, IndexSchema schema, NodeLayout layout, KeyDirectoryCheck? keys, long number)
    {
        if ((page.FindDefect() ?? page.FindMisplaced(number, schema.Count)) is { } defect)
            return defect;
        Span<uint> links = stackalloc uint[NodeLayout.MaxLinks];
        for (int slot = 0; slot < page.Count; slot++)
        {
            if (keys?.FindDefect(number * layout.NodesPerPage + slot, page.Key(slot)) is { } mismatch)
                return mismatch;
            if (!page.TryReadLinks(slot, (uint)schema.Count, links))
                return $"expected a list of {page.LinkCount(slot)} links below {schema.Count} in slot {slot}, found other bytes or higher links";
        }

        for (int replica = 0; replica < page.ReplicaCount; replica++)
        {
            if (keys?.FindDefect(page.ReplicaId(replica), page.Key(layout.NodesPerPage + replica)) is { } mismatch)
                return mismatch;
        }

        return null;
    }
}
