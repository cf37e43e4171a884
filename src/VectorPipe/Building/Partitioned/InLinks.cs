using System.Runtime.Intrinsics;
using VectorPipe.Building.Graphs;

namespace VectorPipe.Building.Partitioned;

/// <summary>The links into a range of positions, by target.</summary>
/// <remarks>Not thread-safe. Grows to the largest range and allocates nothing after.</remarks>
internal sealed unsafe class InLinks
{
    private const int CancellationStride = 1 << 14;

    private int[] _offsets = [];
    private int[] _sources = [];
    private int[] _foundTargets = new int[1 << 12];
    private int[] _foundSources = new int[1 << 12];
    private int _found;
    private int _first;

    /// <summary>Scans all links, in memory, for those into positions first .. first + count - 1: fast while ranges are few.</summary>
    public void Collect(LinkTable links, int first, int count, CancellationToken cancellationToken)
    {
        _first = first;
        _found = 0;
        for (int source = 0; source < links.Count; source++)
        {
            if (source % CancellationStride == 0)
                cancellationToken.ThrowIfCancellationRequested();
            Scan(source, links.Links(source), (uint)count);
        }

        Sort(count);
    }

    /// <summary>
    /// Loads the links into positions first .. first + count - 1 from pairs of target and source, in the order of sources.
    /// </summary>
    public void Take(int first, int count, ReadOnlySpan<int> links)
    {
        _first = first;
        _found = 0;
        if (links.Length / 2 > _foundTargets.Length)
            Reserve(Math.Max(links.Length / 2, _foundTargets.Length * 3 / 2));
        for (int i = 0; i < links.Length; i += 2)
        {
            _foundTargets[_found] = links[i] - first;
            _foundSources[_found++] = links[i + 1];
        }

        Sort(count);
    }

    /// <summary>The positions that link to a position of the range, ascending.</summary>
    public ReadOnlySpan<int> Of(int position) => _sources.AsSpan(_offsets[position - _first].._offsets[position - _first + 1]);

    private void Scan(int source, ReadOnlySpan<int> row, uint count)
    {
        if (_found + row.Length > _foundTargets.Length)
            Reserve(Math.Max(_found + row.Length, _foundTargets.Length * 2));
        int i = 0;
        fixed (int* links = row)
        {
            // Most rows have no link into the range; eight links are ruled out at a time.
            for (; Vector128.IsHardwareAccelerated && i <= row.Length - 8; i += 8)
            {
                Vector256<uint> targets = (Vector256.Load(links + i) - Vector256.Create(_first)).AsUInt32();
                if (Vector256.LessThanAny(targets, Vector256.Create(count)))
                    Take(source, links + i, 8, count);
            }

            Take(source, links + i, row.Length - i, count);
        }
    }

    private void Reserve(int links)
    {
        if (links <= _foundTargets.Length)
            return;
        Array.Resize(ref _foundTargets, links);
        Array.Resize(ref _foundSources, links);
    }

    private void Sort(int count)
    {
        if (_offsets.Length < count + 2)
            _offsets = new int[count + 2];
        if (_sources.Length < _found)
            _sources = new int[_foundSources.Length];
        // Counts lie two entries further, so that offsets are right after each has advanced over its sources.
        Array.Clear(_offsets, 0, count + 2);
        for (int i = 0; i < _found; i++)
            _offsets[_foundTargets[i] + 2]++;
        for (int target = 0; target < count; target++)
            _offsets[target + 2] += _offsets[target + 1];
        for (int i = 0; i < _found; i++)
            _sources[_offsets[_foundTargets[i] + 1]++] = _foundSources[i];
    }

    private void Take(int source, int* links, int length, uint count)
    {
        for (int i = 0; i < length; i++)
        {
            int target = links[i] - _first;
            if ((uint)target >= count)
                continue;
            _foundTargets[_found] = target;
            _foundSources[_found++] = source;
        }
    }
}
