using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices;
using VectorPipe.Devices.Native;
using VectorPipe.Pipeline;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Graph;

/// <summary>An open index that is a graph: codes, code book and page graph in memory, nodes on the device.</summary>
/// <param name="manifest">What the index holds.</param>
/// <param name="directory">The index directory.</param>
/// <param name="codeBook">The code book; owned from here on.</param>
/// <param name="codes">Codes of all nodes; owned from here on.</param>
/// <param name="device">The device with its files: nodes, keys, and the original vectors, if they have a file; owned from here on.</param>
internal class GraphIndex(Manifest manifest, string directory, CodeBook codeBook, NativeBuffer codes, IDevice device)
    : SearchIndex(manifest, directory, device, FileRole.Vectors)
{
    // One element, which the copies of an index share.
    private readonly CodeCells?[] _cells = new CodeCells?[1];
    private readonly Lock _training = new();

    public CodeBook CodeBook { get; } = codeBook;

    /// <summary>Codes of all nodes, by internal id, and room for those that may be added.</summary>
    public NativeBuffer Codes { get; } = codes;

    /// <summary>Entry points and the links of pages; null in the plain layout.</summary>
    public PageGraph? PageGraph { get; init; }

    /// <summary>Internal ids of the entry points; by default those of the page graph or, in the plain layout, the medoid.</summary>
    public uint[] Entries
    {
        get => field ??= PageGraph?.Entries ?? (Schema.Count == 0 ? [] : [(uint)Schema.EntryPoint]);
        init;
    }

    /// <summary>Where a search with a filter looks for near matches; null before <see cref="PrepareFilters"/>.</summary>
    public CodeCells? Cells => Volatile.Read(ref _cells[0]);

    public override IndexKindOperations Kind => GraphKind.Instance;

    public override long MemoryBytes => NodeCount * (long)Schema.CodeBytes;

    /// <summary>Internal ids of nodes that may be added are below this.</summary>
    public long Capacity => Schema.Merged?.Capacity ?? NodeCount;

    public override bool CanAdapt => PageGraph is not null;

    public override IEnumerable<uint> EntryPages => Entries.Select(id => id / (uint)Layout.NodesPerPage);

    public override QuerySlot CreateQuery(PendingIoSession session, int queriesInFlight) => new GraphQuery(this, session);

    /// <summary>The code of a node.</summary>
    public unsafe Span<byte> CodeOf(uint id) => new(Codes.Pointer + ((nint)id * Schema.CodeBytes), Schema.CodeBytes);

    public override void PrepareWalks() => CodeBook.Get();

    public override void PrepareFilters(CancellationToken cancellationToken)
    {
        if (Schema.Count <= MatchSet.MostListed)
            return;
        lock (_training)
        {
            if (Cells is not null)
                return;

            // The pages of the plain layout hold nodes that are not near to each other.
            (int unit, int filled) = PageGraph is null ? (1, 1) : (Layout.NodesPerPage, Layout.Fill);
            var trainer = new CellTrainer(CodeBook.Get(), Codes, unit, filled, NodeCount, cancellationToken);
            Volatile.Write(ref _cells[0], trainer.Train());
        }
    }

    /// <summary>Reads and verifies a page past the device, as maintenance does.</summary>
    /// <param name="file">The node file.</param>
    /// <param name="page">The page.</param>
    /// <param name="buffer">Receives it.</param>
    /// <param name="changes">What checkpoints changed; null for nothing.</param>
    /// <exception cref="IndexCorruptException">It is damaged.</exception>
    /// <exception cref="DeviceException">It cannot be read.</exception>
    public unsafe void Read(SafeFileHandle file, uint page, NativeBuffer buffer, GraphChanges? changes)
    {
        long offset = PageOffset(page, changes);
        Span<byte> bytes = buffer.Span(0, Layout.PageSize);
        try
        {
            for (int done = 0, read; done < bytes.Length; done += read)
            {
                read = RandomAccess.Read(file, bytes[done..], offset + done);
                if (read == 0)
                    throw new IndexCorruptException(NodePath, offset / bytes.Length, "expected a page, found the end of the file");
            }
        }
        catch (IOException e)
        {
            throw new DeviceException($"{NodePath}, page {offset / bytes.Length}: {e.Message}", e);
        }

        Verify(page, buffer.Pointer, changes);
    }

    protected override void Free()
    {
        base.Free();
        CodeBook.Dispose();
        Codes.Dispose();
        PageGraph?.Dispose();
    }
}
