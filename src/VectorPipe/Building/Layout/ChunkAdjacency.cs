using System.Buffers.Binary;
using System.Diagnostics;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Devices.Native;

namespace VectorPipe.Building.Layout;

/// <summary>Ties between the points of a chunk, which want to share a page: to points near them and points that they are near to.</summary>
/// <remarks>
/// <para>A tie weighs the same from either end. A point that is near to very many is tied to the first of them only: a page has room for a
/// few, and each of the others would weigh it in vain.</para>
/// <para>Points count from 0 within the chunk. A tie takes three bytes, without gaps: memory, not time, bounds the size of a chunk. Takes
/// its memory when it is created. Not thread-safe. Freed by <see cref="Dispose"/>.</para>
/// </remarks>
internal sealed unsafe class ChunkAdjacency : IDisposable
{
    /// <summary>Nearest points of a point that count.</summary>
    public const int Neighbours = 12;

    /// <summary>Most points of a chunk.</summary>
    public const int MaxPoints = 1 << TargetBits;

    /// <summary>Most bytes of a point: ties in both directions, and where they begin.</summary>
    public const int BytesOfPoint = 2 * Neighbours * TieBytes + sizeof(int);

    /// <summary>Most ties of a point.</summary>
    public const int MostTies = Neighbours + MostReverse;

    private const int TargetBits = 21;
    private const int TieBytes = 3;
    private const int MostReverse = 64;
    private const int Nearest = 5;
    private const int LeastWeight = 2;
    private const int CancellationStride = 1 << 14;

    private readonly NativeBuffer _ties;
    private readonly int[] _offsets;

    public ChunkAdjacency(int points)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(points, MaxPoints);

        // A read of the last tie takes four bytes.
        _ties = new NativeBuffer((nuint)points * 2 * Neighbours * TieBytes + 1);
        _offsets = new int[points + 1];
    }

    /// <summary>Points of the chunk.</summary>
    public int Count { get; private set; }

    public Ties Of(int point) => new(_ties.Pointer + (nint)TieBytes * _offsets[point], _offsets[point + 1] - _offsets[point]);

    /// <summary>Loads the rows of a chunk; <paramref name="scratch"/> has room for a number per row.</summary>
    public void Load(NearestTable nearest, int first, int count, PageLease lease, Span<int> scratch, CancellationToken cancellationToken)
    {
        Count = count;
        TakeForward(nearest, first, lease, cancellationToken);
        Span<int> ends = scratch[..count];
        CountReverse(ends, cancellationToken);
        Spread(ends);
        AddReverse(ends, cancellationToken);
        Close(ends);
    }

    public void Dispose() => _ties.Dispose();

    private static int Weight(int rank) => rank < Nearest ? 3 : 2;

    // The points near to each, list after list.
    private void TakeForward(NearestTable nearest, int first, PageLease lease, CancellationToken cancellationToken)
    {
        int end = 0;
        foreach ((int from, int rows) in nearest.Batches(lease, first, Count, cancellationToken))
        {
            for (int row = from; row < from + rows; row++)
            {
                _offsets[row - first] = end;
                ReadOnlySpan<int> listed = nearest.Of(row, Neighbours);
                for (int i = 0; i < listed.Length; i++)
                {
                    if ((uint)(listed[i] - first) < (uint)Count)
                        Write(end++, listed[i] - first, Weight(i));
                }
            }
        }

        _offsets[Count] = end;
    }

    // Counts, for each point, the points that are near to it, and those of them that it is not near to itself. Counts beyond the room end
    // at a bound.
    private void CountReverse(Span<int> counts, CancellationToken cancellationToken)
    {
        const int most = 1 << 14;
        counts.Clear();
        for (int point = 0; point < Count; point++)
        {
            if (point % CancellationStride == 0)
                cancellationToken.ThrowIfCancellationRequested();
            for (int at = _offsets[point]; at < _offsets[point + 1]; at++)
            {
                int target = Target(at);
                int all = counts[target] & 0xFFFF, oneWay = counts[target] >> 16;
                if (all < most)
                    all++;
                if (oneWay < most && Find(target, _offsets[target + 1], point) < 0)
                    oneWay++;
                counts[target] = all | oneWay << 16;
            }
        }
    }

    // Moves lists apart, the last one first, to make room for ties from the other end.
    private void Spread(Span<int> counts)
    {
        int total = 0;
        for (int point = 0; point < Count; point++)
            total += Room(point, _offsets[point + 1] - _offsets[point], counts);
        int oldEnd = _offsets[Count], end = total;
        _offsets[Count] = total;
        for (int point = Count - 1; point >= 0; point--)
        {
            int start = _offsets[point], length = oldEnd - start;
            int to = end - Room(point, length, counts);
            Move(start, to, length);
            _offsets[point] = to;
            counts[point] = to + length;
            (oldEnd, end) = (start, to);
        }

        Debug.Assert(end == 0, "lists fill all of the room");
    }

    private static int Room(int point, int length, ReadOnlySpan<int> counts) =>
        Math.Min(length + (counts[point] >> 16), Neighbours + Math.Min(MostReverse, counts[point] & 0xFFFF));

    // A tie that both ends have weighs as much as both. A tie from the other end alone is marked by a weight below the least until lists
    // are closed.
    private void AddReverse(Span<int> ends, CancellationToken cancellationToken)
    {
        for (int point = 0; point < Count; point++)
        {
            if (point % CancellationStride == 0)
                cancellationToken.ThrowIfCancellationRequested();
            for (int at = _offsets[point]; at < ends[point] && WeightAt(at) >= LeastWeight;)
            {
                int target = Target(at);
                int back = Find(target, ends[target], point);
                if (back >= 0)
                {
                    if (point < target)
                    {
                        int sum = WeightAt(at) + WeightAt(back);
                        Write(at, target, sum);
                        Write(back, point, sum);
                    }
                }
                else if (ends[target] < _offsets[target + 1])
                {
                    Write(ends[target]++, point, WeightAt(at) - LeastWeight);
                }
                else
                {
                    // The other end has no room: drop the tie, or a swap would gain at one end and lose at the other.
                    ends[point]--;
                    Move(at + 1, at, ends[point] - at);
                    continue;
                }

                at++;
            }
        }
    }

    // Closes the gaps of dropped ties, and restores the weight of ties from the other end.
    private void Close(ReadOnlySpan<int> ends)
    {
        int to = 0;
        for (int point = 0; point < Count; point++)
        {
            int from = _offsets[point];
            _offsets[point] = to;
            for (; from < ends[point]; from++, to++)
            {
                int weight = WeightAt(from);
                Write(to, Target(from), weight < LeastWeight ? weight + LeastWeight : weight);
            }
        }

        _offsets[Count] = to;
    }

    private int Find(int point, int end, int target)
    {
        for (int at = _offsets[point]; at < end; at++)
        {
            if (Target(at) == target)
                return at;
        }

        return -1;
    }

    private int Target(int at) => Ties.TargetOf(_ties.Pointer, at);

    private int WeightAt(int at) => Ties.WeightOf(_ties.Pointer, at);

    private void Write(int at, int target, int weight) => Ties.Write(_ties.Pointer, at, target, weight);

    private void Move(int from, int to, int length)
    {
        byte* ties = _ties.Pointer;
        Buffer.MemoryCopy(ties + (nint)TieBytes * from, ties + (nint)TieBytes * to, (long)TieBytes * length, (long)TieBytes * length);
    }

    /// <summary>The ties of a point.</summary>
    public readonly ref struct Ties
    {
        private const int TargetMask = (1 << TargetBits) - 1;

        private readonly byte* _first;

        internal Ties(byte* first, int count)
        {
            _first = first;
            Count = count;
        }

        public int Count { get; }

        /// <summary>The point at the other end of a tie.</summary>
        public int Target(int i) => TargetOf(_first, i);

        public int Weight(int i) => WeightOf(_first, i);

        internal static int TargetOf(byte* ties, int at) => (int)Read(ties, at) & TargetMask;

        internal static int WeightOf(byte* ties, int at) => (int)(Read(ties, at) >> TargetBits) & 7;

        internal static void Write(byte* ties, int at, int target, int weight)
        {
            byte* tie = ties + (nint)TieBytes * at;
            uint bits = (uint)target | (uint)weight << TargetBits;
            BinaryPrimitives.WriteUInt16LittleEndian(new Span<byte>(tie, sizeof(ushort)), (ushort)bits);
            tie[2] = (byte)(bits >> 16);
        }

        private static uint Read(byte* ties, int at) => *(uint*)(ties + (nint)TieBytes * at);
    }
}
