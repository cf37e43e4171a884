namespace VectorPipe.Building.Layout;

/// <summary>How much the points of a chunk want to share a page: for each the points that are near it or that it is near to, with a weight that is the same from either end.</summary>
/// <remarks>
/// Of a point that is near to very many only the first of them are tied to it: a page has room for a few, and it would be weighed for each of them in turn.
/// Points are numbered from 0 within the chunk. Grows to the largest chunk and allocates nothing after. Not thread-safe.
/// </remarks>
internal sealed class ChunkAdjacency
{
    /// <summary>Nearest points of a point that count.</summary>
    public const int Neighbours = 12;

    private const int MostReverse = 64;
    private const int Nearest = 5;

    private int[] _offsets = [];
    private int[] _targets = [];
    private byte[] _weights = [];
    private int[] _reverse = [];

    /// <summary>Points of the chunk.</summary>
    public int Count { get; private set; }

    /// <summary>Where a point's neighbours begin in <see cref="Targets"/> and <see cref="Weights"/>.</summary>
    public int First(int point) => _offsets[point];

    /// <summary>The neighbours of a point.</summary>
    public ReadOnlySpan<int> Targets(int point) => _targets.AsSpan(_offsets[point].._offsets[point + 1]);

    /// <summary>The weights of a point's neighbours.</summary>
    public ReadOnlySpan<byte> Weights(int point) => _weights.AsSpan(_offsets[point].._offsets[point + 1]);

    /// <summary>Takes in the rows of a chunk.</summary>
    /// <param name="nearest">Nearest rows of each row.</param>
    /// <param name="first">First row.</param>
    /// <param name="count">Rows.</param>
    public void Load(NearestLists nearest, int first, int count)
    {
        Count = count;
        Grow(ref _reverse, count);
        Array.Clear(_reverse, 0, count);
        for (int point = 0; point < count; point++)
        {
            foreach (int row in Listed(nearest, first + point))
            {
                if ((uint)(row - first) < (uint)count)
                    _reverse[row - first]++;
            }
        }

        Grow(ref _offsets, count + 2);
        _offsets[0] = _offsets[1] = 0;
        for (int point = 0; point < count; point++)
            _offsets[point + 1] = _offsets[point] + Neighbours + Math.Min(MostReverse, _reverse[point]);
        Grow(ref _targets, _offsets[count]);
        if (_weights.Length < _targets.Length)
            _weights = new byte[_targets.Length];
        Fill(nearest, first, count);
    }

    private void Fill(NearestLists nearest, int first, int count)
    {
        // Forward links first; a link that the other end has too weighs as much as both instead of being there twice.
        int[] ends = _reverse;
        for (int point = 0; point < count; point++)
        {
            int end = _offsets[point];
            ReadOnlySpan<int> listed = Listed(nearest, first + point);
            for (int i = 0; i < listed.Length; i++)
            {
                if ((uint)(listed[i] - first) >= (uint)count)
                    continue;
                _targets[end] = listed[i] - first;
                _weights[end++] = Weight(i);
            }

            ends[point] = end;
        }

        for (int point = 0; point < count; point++)
        {
            ReadOnlySpan<int> listed = Listed(nearest, first + point);
            for (int i = 0; i < listed.Length; i++)
            {
                if ((uint)(listed[i] - first) < (uint)count)
                    AddReverse(listed[i] - first, point, Weight(i), ends);
            }
        }

        Close(count, ends);
    }

    private static byte Weight(int rank) => (byte)(rank < Nearest ? 3 : 2);

    private void AddReverse(int target, int source, byte weight, int[] ends)
    {
        int known = _targets.AsSpan(_offsets[target]..ends[target]).IndexOf(source);
        if (known >= 0)
        {
            _weights[_offsets[target] + known] += weight;
        }
        else if (ends[target] < _offsets[target + 1])
        {
            _targets[ends[target]] = source;
            _weights[ends[target]++] = weight;
        }
        else
        {
            Remove(source, target, ends);
        }
    }

    // The other end has no room for the tie: then it is none, or swaps would gain at one end what they lose at the other.
    private void Remove(int point, int target, int[] ends)
    {
        int at = _offsets[point] + _targets.AsSpan(_offsets[point]..ends[point]).IndexOf(target);
        ends[point]--;
        Array.Copy(_targets, at + 1, _targets, at, ends[point] - at);
        Array.Copy(_weights, at + 1, _weights, at, ends[point] - at);
    }

    // Closes the gaps that mutual links left.
    private void Close(int count, int[] ends)
    {
        int to = 0;
        for (int point = 0; point < count; point++)
        {
            int from = _offsets[point], length = ends[point] - from;
            Array.Copy(_targets, from, _targets, to, length);
            Array.Copy(_weights, from, _weights, to, length);
            _offsets[point] = to;
            to += length;
        }

        _offsets[count] = to;
    }

    private static ReadOnlySpan<int> Listed(NearestLists nearest, int row)
    {
        ReadOnlySpan<int> list = nearest.Of(row)[..Math.Min(Neighbours, nearest.Length)];
        int end = list.IndexOf(-1);
        return end < 0 ? list : list[..end];
    }

    private static void Grow(ref int[] array, int length)
    {
        if (array.Length < length)
            array = new int[length];
    }
}
