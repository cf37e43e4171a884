using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>Reads every page of every file and says what is wrong with each.</summary>
internal static class IndexVerifier
{
    /// <summary>Defects beyond this many are counted, not described.</summary>
    private const int MaxDescribed = 1000;

    /// <summary>Verifies an index.</summary>
    public static unsafe VerifyReport Verify(string directory, int threads, IProgress<BuildProgress>? progress, CancellationToken cancellationToken)
    {
        Manifest manifest = IndexDirectory.ReadManifest(directory);
        NodeLayout layout = manifest.Schema.CreateLayout();
        var vectors = new GivenVectorLayout(manifest.Schema.ElementType, manifest.Schema.Dimension);
        var defects = new List<string>();
        var gate = new Lock();
        long total = manifest.Files.Sum(file => file.PageCount), done = 0, found = 0;

        ListCheck? lists = OpenLists();

        // The key directory comes first: it is what the keys of the nodes are compared with.
        KeyDirectoryCheck? keys = null;
        foreach (FileEntry file in manifest.Files.OrderBy(file => file.Role == FileRole.Keys ? 0 : 1))
        {
            long before = Volatile.Read(ref found);
            try
            {
                using var probe = new PageFileReader(directory, file, manifest.IndexId);
            }
            catch (IndexCorruptException e)
            {
                // Header or length is wrong; the other pages may still tell more, but they would only repeat it.
                Report(e.Message);
                continue;
            }

            long pieces = (file.PageCount + 255) / 256;
            Parallel.For(
                0L,
                pieces,
                new ParallelOptions { MaxDegreeOfParallelism = threads, CancellationToken = cancellationToken },
                () => new PageFileReader(directory, file, manifest.IndexId),
                (piece, _, reader) =>
                {
                    long end = Math.Min(file.PageCount, (piece + 1) * 256);
                    for (long page = piece * 256; page < end; page++)
                        VerifyPage(reader, page);
                    progress?.Report(new BuildProgress("verify", Interlocked.Add(ref done, end - piece * 256), total));
                    return reader;
                },
                reader => reader.Dispose());
            if (file.Role == FileRole.Keys && found == before)
                keys = WalkKeys();
        }

        // Node pages are read once more, but only where both files are sound on their own.
        if (manifest.VectorFile is not null && found == 0)
            CompareVectors();
        if (found > defects.Count)
            defects.Add($"... and {found - defects.Count} more.");
        return new VerifyReport(total, defects);

        ListCheck? OpenLists()
        {
            try
            {
                return ListCheck.Open(directory, manifest, cancellationToken);
            }
            catch (IndexCorruptException e)
            {
                Report(e.Message);
                return null;
            }
        }

        KeyDirectoryCheck? WalkKeys()
        {
            try
            {
                return KeyDirectoryCheck.Walk(directory, manifest, cancellationToken);
            }
            catch (IndexCorruptException e)
            {
                Report(e.Message);
                return null;
            }
        }

        void CompareVectors()
        {
            FileEntry nodes = manifest.File(FileRole.Nodes);
            try
            {
                using var probe = RoundingCheck.Open(directory, manifest, layout);
            }
            catch (IndexCorruptException e)
            {
                Report(e.Message);
                return;
            }

            Parallel.For(
                0L,
                (nodes.PageCount - 1 + 255) / 256,
                new ParallelOptions { MaxDegreeOfParallelism = threads, CancellationToken = cancellationToken },
                () => (Reader: new PageFileReader(directory, nodes, manifest.IndexId), Check: RoundingCheck.Open(directory, manifest, layout)!),
                (piece, _, worker) =>
                {
                    for (long page = 1 + piece * 256; page < Math.Min(nodes.PageCount, 1 + (piece + 1) * 256); page++)
                        ComparePage(worker.Reader, worker.Check, page);
                    return worker;
                },
                worker =>
                {
                    worker.Reader.Dispose();
                    worker.Check.Dispose();
                });
        }

        void ComparePage(PageFileReader reader, RoundingCheck check, long page)
        {
            try
            {
                fixed (byte* first = reader.ReadPages(page, 1))
                {
                    if (check.FindDefect(new NodePage(first, layout), page - 1) is { } defect)
                        throw new IndexCorruptException(reader.FilePath, page, defect);
                }
            }
            catch (IndexCorruptException e)
            {
                Report(e.Message);
            }
        }

        void VerifyPage(PageFileReader reader, long page)
        {
            try
            {
                ReadOnlySpan<byte> bytes = reader.ReadPages(page, 1);
                PageKind kind = page == 0 ? PageKind.FileHeader : KindOf(reader.Entry.Role, layout.PageKind, manifest.Schema.Lists is not null);
                PageCodec.Verify(reader.FilePath, bytes, kind, reader.Identity(page));
                if (kind == PageKind.GivenVectors)
                {
                    if (new GivenVectorPage(bytes, vectors).FindDefect(page, manifest.Schema.Count) is { } defect)
                        throw new IndexCorruptException(reader.FilePath, page, defect);
                }

                if (kind == PageKind.ListCodes && lists?.FindDefect(bytes, (uint)(page - 1)) is { } wrong)
                    throw new IndexCorruptException(reader.FilePath, page, wrong);
                if (kind == PageKind.ListVectors)
                {
                    fixed (byte* first = bytes)
                    {
                        if (lists?.FindDefect(new NodePage(first, layout), (uint)(page - 1), keys) is { } defect)
                            throw new IndexCorruptException(reader.FilePath, page, defect);
                    }
                }
                else if (kind == layout.PageKind)
                {
                    fixed (byte* first = bytes)
                    {
                        if (FindDefect(new NodePage(first, layout), manifest.Schema, layout, keys, page - 1) is { } defect)
                            throw new IndexCorruptException(reader.FilePath, page, defect);
                    }
                }
            }
            catch (IndexCorruptException e)
            {
                Report(e.Message);
            }
        }

        void Report(string message)
        {
            lock (gate)
            {
                found++;
                if (defects.Count < MaxDescribed)
                    defects.Add(message);
            }
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
