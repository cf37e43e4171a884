using System.Diagnostics;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Quantization;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Pools;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Searching.Ivf;

/// <content>Scans the codes of coded lists, and ranks the best by their vectors.</content>
internal sealed unsafe partial class IvfQuery
{
    private readonly CodeDistanceTable? _codes;
    private readonly CandidatePool _candidates = new();
    private readonly uint[] _rowNumbers = [];
    private readonly float[] _codeDistancesOfPage = [];
    private readonly ulong[] _keys = [];
    private readonly CandidateState[] _states = [];
    private uint[] _ids = [];
    private uint[] _pages = [];
    private int _idCount;
    private int _nextId;

    private void BeginCodes(int listSize)
    {
        Debug.Assert(_codes is not null, "the lists are coded");
        _codes.SetQuery(_index.Quantizer!, _index.Schema.Metric, _queryComponents);
        _candidates.Reset(listSize);
        _reads.Reserve(listSize);
        if (_ids.Length >= listSize)
            return;
        _ids = new uint[listSize];
        _pages = new uint[listSize];
    }

    private void ScanCodes(in ReadBuffer buffer)
    {
        uint page = IvfReads.PageOf(buffer);
        for (byte* bytes = buffer.Pointer, end = bytes + buffer.Range.Length; bytes < end; bytes += PageCodec.PageUnit, page++)
        {
            int count = _index.Lists.Directory.CodesOf(page, out uint firstId);
            _codes!.Distances(bytes + PageCodec.HeaderSize, _rowNumbers.AsSpan(0, count), _codeDistancesOfPage);
            _codeDistances += count;
            float threshold = _candidates.Threshold;
            MatchSet? matches = Request!.Admission.Matches;
            int near = 0;
            for (int i = 0; i < count; i++)
            {
                if (!(_codeDistancesOfPage[i] > threshold) && matches?.Contains(firstId + (uint)i) != false)
                    _keys[near++] = CandidateKey.Of(_codeDistancesOfPage[i], firstId + (uint)i);
            }

            Span<ulong> keys = _keys.AsSpan(0, near);
            keys.Sort();
            _candidates.Merge(keys, _states.AsSpan(0, near));
        }

        // Code distances are of the space of the centroids, except under the inner product, where they are products.
        int k = Request!.K;
        if (_index.Schema.Metric != DistanceMetric.InnerProduct && _candidates.Count >= k)
            _reads.Limit = MathF.Min(_reads.Limit, _candidates.Distance(k - 1));
    }

    // All codes were scanned: read the vectors of the best, page by page, at most so many.
    private void BeginRanking(int most)
    {
        _idCount = Math.Min(most, _candidates.Count);
        if (_idCount < _candidates.Count)
            EndedEarlyBy = SearchEnd.MaxReads;
        _nextId = 0;
        for (int rank = 0; rank < _idCount; rank++)
            _ids[rank] = _candidates.Id(rank);
        _ids.AsSpan(0, _idCount).Sort();
        int pages = 0;
        for (int i = 0; i < _idCount; i++)
        {
            uint page = _ids[i] / (uint)_layout.NodesPerPage;
            if (pages == 0 || _pages[pages - 1] != page)
                _pages[pages++] = page;
        }

        _reads.BeginRanking(_pages.AsSpan(0, pages));
        _stream.Reset(keepDistance: true);
    }

    private void Rank(uint number, byte* bytes)
    {
        var page = new NodePage(bytes, _layout);
        for (; _nextId < _idCount && _ids[_nextId] / (uint)_layout.NodesPerPage == number; _nextId++)
        {
            int slot = (int)(_ids[_nextId] % (uint)_layout.NodesPerPage);
            _exact.ComputeStrided(page.FirstVector + ((nint)slot * _layout.VectorStride), _layout.VectorStride, 1, _distances);
            _exactDistances++;
            Offer(page, number, slot, _distances[0]);
        }
    }
}
