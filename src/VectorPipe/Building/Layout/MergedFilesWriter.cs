using System.Runtime.InteropServices;
using VectorPipe.Storage;

namespace VectorPipe.Building.Layout;

/// <summary>Writes the files of an index of the merged layout: nodes, page graph, codes, keys, and the vectors as they were given if pages hold them rounded.</summary>
internal sealed class MergedFilesWriter
{
    // Links of a page that its nodes' neighbours apply for, beyond those for which there is room.
    private const double Surplus = 2;

    // A range of pages is one thread's work; ranges follow from the data alone, and few of them make for few passes over the applications.
    private const int MaxRanges = 16;
    private const int MinRangePages = 64;
    // Ties are transposed for so many parts of the nodes at a time: memory for one part a thread against a pass over the graph for each.
    private const int TransposedParts = 8;

    private readonly MergedGraph _graph;
    private readonly GivenVectorLayout? _given;
    private readonly int _threads;
    private readonly Action<long> _onNodes;
    private readonly CancellationToken _cancellationToken;

    /// <param name="graph">What pages are made of.</param>
    /// <param name="given">The file of the vectors as they were given; null if there is to be none.</param>
    /// <param name="threads">Worker threads.</param>
    /// <param name="onNodes">Told the nodes written.</param>
    /// <param name="cancellationToken">Observed every few thousand nodes.</param>
    public MergedFilesWriter(MergedGraph graph, GivenVectorLayout? given, int threads, Action<long> onNodes, CancellationToken cancellationToken)
    {
        _graph = graph;
        _given = given;
        _threads = threads;
        _onNodes = onNodes;
        _cancellationToken = cancellationToken;
    }

    /// <summary>Applications of a node, at most.</summary>
    public static int ApplicationsOfNode(NodeLayout layout, long count) => (int)Math.Ceiling(Surplus * layout.LinkRoom(count) / layout.NodesPerPage);

    /// <summary>Writes everything.</summary>
    /// <param name="writer">Begins the files.</param>
    /// <param name="encoder">Makes the codes.</param>
    /// <param name="keyDirectory">How the key directory is laid out.</param>
    public (FileEntry[] Files, KeyDirectoryShape Keys) Write(IndexFilesWriter writer, CodeEncoder encoder, KeyDirectoryOptions keyDirectory)
    {
        using PageApplications applications = Apply();
        var keys = new KeyDirectoryWriter(_graph.Order.Length, keyDirectory);
        using NodeFileWriter nodes = writer.BeginNodes(_graph.Layout, _graph.Order.Length);
        using PageStreamWriter codes = writer.BeginCodes((long)_graph.Order.Length * encoder.CodeBytes);
        using PageStreamWriter pageGraph = writer.BeginPageGraph(_graph.Shape, _graph.PageCount);
        using GivenVectorWriter? vectors = _given is null ? null : writer.BeginVectors(_given, _graph.Order.Length);
        pageGraph.Write(MemoryMarshal.AsBytes(Entries()));

        int pages = _graph.PageCount;
        int rangePages = Math.Max(MinRangePages, (pages - 1) / MaxRanges + 1);
        var applicants = new PageApplicants(_graph.Layout.NodesPerPage);
        for (int first = 0; first < pages; first += rangePages)
        {
            int count = Math.Min(rangePages, pages - first);
            applicants.Collect(applications, first, count, _cancellationToken);
            WriteRange(first, count, applicants, nodes, pageGraph);
            WriteRows(first * _graph.Layout.NodesPerPage, count * _graph.Layout.NodesPerPage, codes, encoder, keys, vectors);
            _onNodes(Math.Min((long)(first + count) * _graph.Layout.NodesPerPage, _graph.Order.Length));
        }

        pageGraph.Write(new byte[EliasFanoCode.Padding]);
        FileEntry nodeFile = nodes.Complete();
        codes.Complete();
        pageGraph.Complete();
        (FileEntry keyFile, KeyDirectoryShape shape) = writer.WriteKeys(keys, _cancellationToken);
        FileEntry[] files = [nodeFile, codes.Entry, keyFile, pageGraph.Entry];
        return (vectors is null ? files : [.. files, vectors.Complete()], shape);
    }

    private PageApplications Apply()
    {
        int count = _graph.Order.Length;
        var applications = new PageApplications(count, ApplicationsOfNode(_graph.Layout, count));
        try
        {
            int part = (count - 1) / TransposedParts + 1;
            WorkQueue.Run(
                _threads,
                (count - 1) / part + 1,
                () => new RankWorker(_graph),
                (worker, i) => worker.Run(i * part, Math.Min(part, count - i * part), applications, _cancellationToken),
                _cancellationToken);
            return applications;
        }
        catch
        {
            applications.Dispose();
            throw;
        }
    }

    // Pages come in stretches of leaf order, so evenly spaced ids are spread over all of the data.
    private uint[] Entries()
    {
        uint[] entries = new uint[_graph.Shape.Entries];
        for (int i = 0; i < entries.Length; i++)
            entries[i] = (uint)((2L * i + 1) * _graph.Order.Length / (2 * entries.Length));
        return entries;
    }

    private void WriteRange(int firstPage, int count, PageApplicants applicants, NodeFileWriter nodes, PageStreamWriter pageGraph)
    {
        const int batchPages = 256;
        int pageSize = _graph.Layout.PageSize, blockBytes = _graph.Shape.PageGraphBytes;
        byte[] pages = new byte[batchPages * pageSize];
        byte[] blocks = new byte[batchPages * blockBytes];
        int[] nodesOfPage = new int[batchPages];
        for (int first = firstPage; first < firstPage + count; first += batchPages)
        {
            int batch = Math.Min(batchPages, firstPage + count - first);
            Array.Clear(pages);
            Array.Clear(blocks);
            WorkQueue.Run(
                _threads,
                batch,
                () => new PageComposer(_graph),
                (composer, i) => nodesOfPage[i] = composer.Compose(
                    first + i, applicants.Of(first + i), pages.AsSpan(i * pageSize, pageSize), blocks.AsSpan(i * blockBytes, blockBytes)),
                _cancellationToken);
            for (int i = 0; i < batch; i++)
                nodes.AddPage(pages.AsSpan(i * pageSize, pageSize), nodesOfPage[i]);
            pageGraph.Write(blocks.AsSpan(0, batch * blockBytes));
        }
    }

    private void WriteRows(int first, int count, PageStreamWriter codes, CodeEncoder encoder, KeyDirectoryWriter keys, GivenVectorWriter? vectors)
    {
        int end = Math.Min(first + count, _graph.Order.Length);
        for (int id = first; id < end; id += IndexFilesWriter.BatchRows)
        {
            ReadOnlySpan<int> rows = _graph.Order.AsSpan(id, Math.Min(IndexFilesWriter.BatchRows, end - id));
            for (int i = 0; i < rows.Length; i++)
            {
                ulong key = _graph.Records.Key(rows[i]);
                keys.Add(key, (uint)(id + i));
                vectors?.Add(key, _graph.Records.Vector(rows[i]));
            }

            codes.Write(encoder.Encode(_graph.Records, rows, _cancellationToken));
        }
    }

    private sealed class RankWorker(MergedGraph graph) : IDisposable
    {
        private readonly AffinityRanker _ranker = new(graph.Layout.NodesPerPage);
        private readonly InboundTies _inbound = new(graph.Nearest, graph.IdOf);
        private readonly GraphView _view = graph.Graph.OpenView();

        public void Run(int first, int count, PageApplications applications, CancellationToken cancellationToken)
        {
            _inbound.Collect(first, count, _view, cancellationToken);
            for (int id = first; id < first + count; id++)
            {
                _view.Begin();
                int row = graph.Order[id];
                _ranker.Rank(id, graph.Nearest.Of(row), _view.Links(row), _inbound.SourcesOf(id), _inbound.RanksOf(id), graph.IdOf, applications.Of(id));
            }
        }

        public void Dispose() => _view.Dispose();
    }
}
