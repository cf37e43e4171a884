using System.Runtime.InteropServices;
using VectorPipe.Building.Codes;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Space;
using VectorPipe.Building.Writing;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Building.Layout;

/// <summary>
/// Writes the files of an index of the merged layout: nodes, page graph, codes, keys, and the vectors as they were given if pages hold them
/// rounded.
/// </summary>
internal sealed class MergedFilesWriter
{
    // Links of a page that its nodes' neighbours apply for, beyond those for which there is room.
    private const double Surplus = 2;

    // Pages that are composed together: enough for all threads, few enough to be held at once.
    private const int BatchPages = 256;

    private const int ReportsOfRanking = 16;

    private readonly MergedGraph _graph;
    private readonly OriginalVectorLayout? _given;
    private readonly int _threads;
    private readonly Action<long> _onNodes;
    private readonly CancellationToken _cancellationToken;
    private readonly Lock _reporting = new();
    private readonly byte[] _pages;
    private readonly byte[] _blocks;
    private readonly int[] _nodesOfPage;
    private long _ranked;

    /// <param name="graph">What pages are made of.</param>
    /// <param name="given">The file of the vectors as they were given; null if there is to be none.</param>
    /// <param name="threads">Worker threads.</param>
    /// <param name="onNodes">Told the nodes written.</param>
    /// <param name="cancellationToken">Observed every few thousand nodes.</param>
    public MergedFilesWriter(
        MergedGraph graph, OriginalVectorLayout? given, int threads, Action<long> onNodes, CancellationToken cancellationToken)
    {
        _graph = graph;
        _given = given;
        _threads = threads;
        _onNodes = onNodes;
        _cancellationToken = cancellationToken;
        int batchPages = PagesTogether(graph.Layout.PageSize + graph.Shape.PageGraphBytes);
        _pages = new byte[batchPages * graph.Layout.PageSize];
        _blocks = new byte[batchPages * graph.Shape.PageGraphBytes];
        _nodesOfPage = new int[batchPages];
    }

    /// <summary>Applications of a node, at most.</summary>
    public static int ApplicationsOfNode(NodeLayout layout, long count) =>
        (int)Math.Ceiling(Surplus * layout.LinkRoom(count) / layout.NodesPerPage);

    /// <summary>Bytes of the pages that are composed together.</summary>
    /// <param name="pageBytes">Bytes of a page, and of its links in the page graph.</param>
    public static long BatchBytes(int pageBytes) => (long)PagesTogether(pageBytes) * pageBytes;

    /// <summary>Ranks the pages around all nodes.</summary>
    /// <param name="space">Where scratch files go; null to have all applications in memory.</param>
    /// <param name="memory">Memory for those of the scratch files.</param>
    public ILinkRequests Apply(BuildSpace? space, LinkRequestMemory memory)
    {
        int length = ApplicationsOfNode(_graph.Layout, _graph.Order.Length);
        return space is null
            ? MemoryLinkRequests.Of(_graph, length, _threads, OnRanked, _cancellationToken)
            : ShuffledLinkRequests.Of(_graph, space, memory, length, _threads, OnRanked, _cancellationToken);
    }

    /// <summary>Writes all files but the key directory.</summary>
    /// <param name="applications">What links of pages are chosen from.</param>
    /// <param name="writer">Begins the files.</param>
    /// <param name="encoder">Makes the codes.</param>
    public FileEntry[] Write(ILinkRequests applications, IndexFilesWriter writer, CodeEncoder encoder)
    {
        using NodeFileWriter nodes = writer.BeginNodes(_graph.Layout, _graph.Order.Length);
        using PagedStreamWriter codes = writer.BeginCodes((long)_graph.Order.Length * encoder.CodeBytes);
        using PagedStreamWriter pageGraph = writer.BeginPageGraph(_graph.Shape, _graph.PageCount);
        using OriginalVectorWriter? vectors = _given is null ? null : writer.BeginVectors(_given, _graph.Order.Length);
        pageGraph.Write(MemoryMarshal.AsBytes(Entries()));

        using PageLease lease = _graph.Rent();
        WritePages(applications, nodes, pageGraph, codes, encoder, vectors, lease);
        pageGraph.Write(new byte[EliasFanoCode.Padding]);
        FileEntry nodeFile = nodes.Complete();
        codes.Complete();
        pageGraph.Complete();
        FileEntry[] files = [nodeFile, codes.Entry, pageGraph.Entry];
        return vectors is null ? files : [.. files, vectors.Complete()];
    }

    /// <summary>Collects the keys of all nodes.</summary>
    /// <param name="options">How the key directory is laid out.</param>
    public KeyDirectoryWriter Keys(KeyDirectoryOptions options)
    {
        var keys = new KeyDirectoryWriter(_graph.Order.Length, options);
        using PageLease lease = _graph.Rent();
        for (int id = 0; id < _graph.Order.Length; id += IndexFilesWriter.BatchRows)
        {
            _cancellationToken.ThrowIfCancellationRequested();
            ReadOnlySpan<int> rows = _graph.RowsFrom(id, IndexFilesWriter.BatchRows);
            lease.Begin();
            _graph.Records.Ask(lease, rows);
            lease.Fetch();
            for (int i = 0; i < rows.Length; i++)
                keys.Add(_graph.Records.Key(rows[i]), (uint)(id + i));
        }

        return keys;
    }

    private void WritePages(
        ILinkRequests applications, NodeFileWriter nodes, PagedStreamWriter pageGraph, PagedStreamWriter codes, CodeEncoder encoder,
        OriginalVectorWriter? vectors, PageLease lease)
    {
        using var crew = new PageComposers(_graph, _threads);
        var applicants = new LinkRequesters(_graph.Layout.NodesPerPage);
        for (int first = 0; first < _graph.PageCount;)
        {
            int end = applications.EndOfRange(first);
            applications.Collect(applicants, first, end, _cancellationToken);
            WriteRange(first, end, applicants, nodes, pageGraph, crew, lease);
            int firstNode = first * _graph.Layout.NodesPerPage,
                endNode = (int)Math.Min((long)end * _graph.Layout.NodesPerPage, _graph.Order.Length);
            WriteRows(firstNode, endNode, codes, encoder, vectors, lease);
            OnWritten(endNode);
            first = end;
        }
    }

    private static int PagesTogether(int pageBytes)
    {
        const int batchBytes = 2 << 20;
        return Math.Clamp(batchBytes / pageBytes, 1, BatchPages);
    }

    // Ranking and writing both go over all nodes, and take about as long.
    private void OnRanked(int nodes)
    {
        lock (_reporting)
        {
            long before = _ranked * ReportsOfRanking / _graph.Order.Length;
            _ranked += nodes;
            if (_ranked * ReportsOfRanking / _graph.Order.Length > before)
                _onNodes(_ranked / 2);
        }
    }

    private void OnWritten(int nodes) => _onNodes(((long)_graph.Order.Length + nodes) / 2);

    // Pages come in stretches of leaf order, so evenly spaced ids are spread over all of the data.
    private uint[] Entries()
    {
        uint[] entries = new uint[_graph.Shape.Entries];
        for (int i = 0; i < entries.Length; i++)
            entries[i] = (uint)((2L * i + 1) * _graph.Order.Length / (2 * entries.Length));
        return entries;
    }

    private void WriteRange(
        int firstPage, int endPage, LinkRequesters applicants, NodeFileWriter nodes, PagedStreamWriter pageGraph, PageComposers crew,
        PageLease lease)
    {
        int pageSize = _graph.Layout.PageSize, blockBytes = _graph.Shape.PageGraphBytes;
        for (int first = firstPage; first < endPage; first += _nodesOfPage.Length)
        {
            int batch = Math.Min(_nodesOfPage.Length, endPage - first);
            Array.Clear(_pages);
            Array.Clear(_blocks);
            Bring(first * _graph.Layout.NodesPerPage, batch * _graph.Layout.NodesPerPage, lease);
            crew.Run(
                batch,
                (composer, i) => _nodesOfPage[i] = composer.Compose(
                    first + i, applicants.Of(first + i), _pages.AsSpan(i * pageSize, pageSize), _blocks.AsSpan(i * blockBytes, blockBytes)),
                _cancellationToken);
            for (int i = 0; i < batch; i++)
                nodes.AddPage(_pages.AsSpan(i * pageSize, pageSize), _nodesOfPage[i]);
            pageGraph.Write(_blocks.AsSpan(0, batch * blockBytes));
        }
    }

    // What pages are made of is mostly that of their own nodes: one thread reads it in large pieces, so that those who compose find it in
    // memory.
    private void Bring(int first, int count, PageLease lease)
    {
        if (_graph.Paging is null)
            return;
        int end = Math.Min(first + count, _graph.Order.Length);
        for (int id = first; id < end; id += RankWorker.RowsTogether)
        {
            _cancellationToken.ThrowIfCancellationRequested();
            ReadOnlySpan<int> rows = _graph.RowsFrom(id, Math.Min(RankWorker.RowsTogether, end - id));
            lease.Begin();
            _graph.Nearest.Ask(lease, rows);
            _graph.Graph.Links.Ask(lease, rows);
            _graph.Records.Ask(lease, rows);
            lease.Fetch();
        }

        lease.End();
    }

    private void WriteRows(int first, int end, PagedStreamWriter codes, CodeEncoder encoder, OriginalVectorWriter? vectors, PageLease lease)
    {
        for (int id = first; id < end; id += IndexFilesWriter.BatchRows)
        {
            ReadOnlySpan<int> rows = _graph.RowsFrom(id, Math.Min(IndexFilesWriter.BatchRows, end - id));
            lease.Begin();
            _graph.Records.Ask(lease, rows);
            lease.Fetch();
            if (vectors is not null)
            {
                foreach (int row in rows)
                    vectors.Add(_graph.Records.Key(row), _graph.Records.Vector(row));
            }

            codes.Write(encoder.Encode(_graph.Records, rows, _cancellationToken));
        }

        lease.End();
    }
}
