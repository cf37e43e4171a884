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

/// <summary>Writes the files of a graph index: nodes, page graph, codes, keys, and original vectors where pages round them.</summary>
internal sealed class MergedFilesWriter
{
    // Requests per link for which a page has room.
    private const double Surplus = 2;

    // Pages composed together: enough for all threads, few enough for memory.
    private const int BatchPages = 256;

    private const int ReportsOfRanking = 16;

    private readonly MergedGraph _graph;
    private readonly OriginalVectorLayout? _originals;
    private readonly int _threads;
    private readonly Action<long> _onNodes;
    private readonly CancellationToken _cancellationToken;
    private readonly Lock _reporting = new();
    private readonly byte[] _pages;
    private readonly byte[] _blocks;
    private readonly int[] _nodesOfPage;
    private byte[] _freeCodes = [];
    private long _ranked;

    public MergedFilesWriter(
        MergedGraph graph, OriginalVectorLayout? originals, int threads, Action<long> onNodes, CancellationToken cancellationToken)
    {
        _graph = graph;
        _originals = originals;
        _threads = threads;
        _onNodes = onNodes;
        _cancellationToken = cancellationToken;
        int batchPages = PagesTogether(graph.Layout.PageSize + graph.Shape.PageGraphBytes);
        _pages = new byte[batchPages * graph.Layout.PageSize];
        _blocks = new byte[batchPages * graph.Shape.PageGraphBytes];
        _nodesOfPage = new int[batchPages];
    }

    /// <summary>Most link requests of a node.</summary>
    public static int RequestsOfNode(NodeLayout layout, long count) =>
        (int)Math.Ceiling(Surplus * layout.LinkRoom(count) / layout.Fill);

    /// <summary>Bytes of the pages composed together, <paramref name="pageBytes"/> each with their links in the page graph.</summary>
    public static long BatchBytes(int pageBytes) => (long)PagesTogether(pageBytes) * pageBytes;

    /// <summary>Ranks the pages around all nodes; without a space, all link requests are in memory.</summary>
    public ILinkRequests RankPages(BuildSpace? space, LinkRequestMemory memory)
    {
        int length = RequestsOfNode(_graph.Layout, _graph.Order.Length);
        return space is null
            ? MemoryLinkRequests.Of(_graph, length, _threads, OnRanked, _cancellationToken)
            : ShuffledLinkRequests.Of(_graph, space, memory, length, _threads, OnRanked, _cancellationToken);
    }

    /// <summary>Writes all files but the key directory.</summary>
    public FileEntry[] Write(ILinkRequests requests, IndexFilesWriter writer, CodeEncoder encoder)
    {
        using NodeFileWriter nodes = writer.BeginNodes(_graph.Layout, _graph.Order.Length);
        using PagedStreamWriter codes = writer.BeginCodes(_graph.Shape.IdCount(_graph.Order.Length) * encoder.CodeBytes);
        using PagedStreamWriter pageGraph = writer.BeginPageGraph(_graph.Shape, _graph.PageCount);
        using OriginalVectorWriter? vectors = _originals is null ? null : writer.BeginVectors(_originals, _graph.Order.Length);
        pageGraph.Write(MemoryMarshal.AsBytes(Entries()));

        using PageLease lease = _graph.Rent();
        WritePages(requests, nodes, pageGraph, codes, encoder, vectors, lease);
        pageGraph.Write(new byte[EliasFanoCode.Padding]);
        FileEntry nodeFile = nodes.Complete();
        codes.Complete();
        pageGraph.Complete();
        FileEntry[] files = [nodeFile, codes.Entry, pageGraph.Entry];
        return vectors is null ? files : [.. files, vectors.Complete()];
    }

    /// <summary>Collects the keys of all nodes.</summary>
    public KeyDirectoryWriter<uint> Keys(KeyDirectoryOptions options)
    {
        var keys = new KeyDirectoryWriter<uint>(_graph.Order.Length, options);
        using PageLease lease = _graph.Rent();
        for (int position = 0; position < _graph.Order.Length; position += IndexFilesWriter.BatchRows)
        {
            _cancellationToken.ThrowIfCancellationRequested();
            ReadOnlySpan<int> rows = _graph.RowsFrom(position, IndexFilesWriter.BatchRows);
            lease.Begin();
            _graph.Records.Ask(lease, rows);
            lease.Fetch();
            for (int i = 0; i < rows.Length; i++)
                keys.Add(_graph.Records.Key(rows[i]), _graph.IdAt((uint)(position + i)));
        }

        return keys;
    }

    private void WritePages(
        ILinkRequests requests, NodeFileWriter nodes, PagedStreamWriter pageGraph, PagedStreamWriter codes, CodeEncoder encoder,
        OriginalVectorWriter? vectors, PageLease lease)
    {
        using var crew = new PageComposers(_graph, _threads);
        var requesters = new LinkRequesters(_graph.Fill);
        for (int first = 0; first < _graph.PageCount;)
        {
            int end = requests.EndOfRange(first);
            requests.Collect(requesters, first, end, _cancellationToken);
            WriteRange(first, end, requesters, nodes, pageGraph, crew, lease);
            int firstNode = first * _graph.Fill,
                endNode = (int)Math.Min((long)end * _graph.Fill, _graph.Order.Length);
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

    // Ranking and writing each go over all nodes, and take about as long.
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

    // Pages follow leaf order, so evenly spaced nodes cover all of the data.
    private uint[] Entries()
    {
        uint[] entries = new uint[_graph.Shape.Entries];
        for (int i = 0; i < entries.Length; i++)
            entries[i] = _graph.IdAt((uint)((2L * i + 1) * _graph.Order.Length / (2 * entries.Length)));
        return entries;
    }

    private void WriteRange(
        int firstPage, int endPage, LinkRequesters requesters, NodeFileWriter nodes, PagedStreamWriter pageGraph, PageComposers crew,
        PageLease lease)
    {
        int pageSize = _graph.Layout.PageSize, blockBytes = _graph.Shape.PageGraphBytes;
        for (int first = firstPage; first < endPage; first += _nodesOfPage.Length)
        {
            int batch = Math.Min(_nodesOfPage.Length, endPage - first);
            Array.Clear(_pages);
            Array.Clear(_blocks);
            Load(first * _graph.Fill, batch * _graph.Fill, lease);
            crew.Run(
                batch,
                (composer, i) => _nodesOfPage[i] = composer.Compose(
                    first + i, requesters.Sort(first + i), _pages.AsSpan(i * pageSize, pageSize),
                    _blocks.AsSpan(i * blockBytes, blockBytes)),
                _cancellationToken);
            for (int i = 0; i < batch; i++)
                nodes.AddPage(_pages.AsSpan(i * pageSize, pageSize), _nodesOfPage[i]);
            pageGraph.Write(_blocks.AsSpan(0, batch * blockBytes));
        }
    }

    // Pages mostly need the rows of their own nodes: one thread reads these in large pieces, so that the composers find them in memory.
    private void Load(int first, int count, PageLease lease)
    {
        if (_graph.Paging is null)
            return;
        int end = Math.Min(first + count, _graph.Order.Length);
        for (int position = first; position < end; position += RankWorker.RowsTogether)
        {
            _cancellationToken.ThrowIfCancellationRequested();
            ReadOnlySpan<int> rows = _graph.RowsFrom(position, Math.Min(RankWorker.RowsTogether, end - position));
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
        for (int position = first; position < end; position += IndexFilesWriter.BatchRows)
        {
            ReadOnlySpan<int> rows = _graph.RowsFrom(position, Math.Min(IndexFilesWriter.BatchRows, end - position));
            lease.Begin();
            _graph.Records.Ask(lease, rows);
            lease.Fetch();
            if (vectors is not null)
            {
                foreach (int row in rows)
                    vectors.Add(_graph.Records.Key(row), _graph.Records.Vector(row));
            }

            WriteCodes(position, encoder.Encode(_graph.Records, rows, _cancellationToken), codes, encoder.CodeBytes);
        }

        lease.End();
    }

    // The codes of free slots are zeros.
    private void WriteCodes(int position, ReadOnlySpan<byte> encoded, PagedStreamWriter codes, int codeBytes)
    {
        if (_freeCodes.Length == 0 && _graph.Fill < _graph.Layout.NodesPerPage)
            _freeCodes = new byte[(_graph.Layout.NodesPerPage - _graph.Fill) * codeBytes];
        if (_freeCodes.Length == 0)
        {
            codes.Write(encoded);
            return;
        }

        while (!encoded.IsEmpty)
        {
            if (position > 0 && position % _graph.Fill == 0)
                codes.Write(_freeCodes);
            int run = Math.Min(_graph.Fill - (position % _graph.Fill), encoded.Length / codeBytes);
            codes.Write(encoded[..(run * codeBytes)]);
            encoded = encoded[(run * codeBytes)..];
            position += run;
        }
    }
}
