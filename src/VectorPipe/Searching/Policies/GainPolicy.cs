using System.Numerics;
using System.Runtime.CompilerServices;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Policies;

/// <summary>Reads the page of highest gain: the sum over its candidates of the probability that each belongs to the answer.</summary>
/// <remarks>
/// A search ends when there are k results and no page promises as much as the threshold. It needs k results because a page of large
/// vectors may never promise as much. A search within a distance does not know how many results there are: it ends by the threshold
/// alone, which grows with those that it has. See docs/decisions.md#stop-by-gain.
/// </remarks>
internal sealed class GainPolicy : IPagePolicy
{
    private const int MaxDeviations = 4;
    private const int StepsPerDeviation = 128;
    private const float ShareOfFound = 0.8f;
    private const float LeastFound = 0.2f;

    // The standard normal distribution function from -4 to 4.
    private static readonly float[] _normal = NormalDistribution();

    // Only the first part of the slots is in use: as many as the pool's candidates need.
    private int[] _slots = [];
    private int _size;
    private uint[] _pages = [];
    private float[] _gains = [];
    private int _count;

    /// <summary>Results that a page must promise to be read; above 0.</summary>
    public float Threshold { get; set; } = 0.1f;

    public bool NeedsResults => true;

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public int Choose(Frontier frontier, Span<uint> pages)
    {
        if (frontier.Candidates.Unvisited == 0)
            return 0;
        Sum(frontier);
        int chosen = 0;
        bool isBounded = frontier.Bound < float.PositiveInfinity;
        float least = isBounded ? LeastOf(frontier) : Threshold;
        float promised = frontier.Results.Count + frontier.Candidates.Submitted + frontier.Candidates.Loaded;
        while (chosen < pages.Length)
        {
            int best = -1;
            float most = 0;
            for (int i = 0; i < _count; i++)
            {
                if (_gains[i] > most)
                    (best, most) = (i, _gains[i]);
            }

            if (best < 0 || (most < least && (isBounded || promised >= frontier.K)))
                break;
            promised += most;
            pages[chosen++] = _pages[best];
            _gains[best] = 0;
        }

        return chosen;
    }

    // The threshold of a search for k results is for k; of fewer results, a page left out costs a larger share. What lies at the bound
    // itself is harder to find than a k-th nearest vector, whose bound is wide at first: photo-SIFT 1M with one vector inside, at the very
    // bound, found 0.79 of them with 1 and 1, 0.85 with these, which read 11.0 instead of 10.4 pages where ten are inside.
    private float LeastOf(Frontier frontier)
    {
        int whole = Math.Min(frontier.K, Calibration.K);
        return Threshold * Math.Clamp(ShareOfFound * frontier.Results.Count, LeastFound, whole) / whole;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Sum(Frontier frontier)
    {
        CandidatePool candidates = frontier.Candidates;
        Clear(candidates.Count, candidates.ListSize);
        float kth = frontier.KthDistance();
        DistanceModel model = frontier.Model;
        for (int rank = candidates.FirstOpen; rank < candidates.Count; rank++)
        {
            if (candidates.State(rank) != CandidateState.Unvisited)
                continue;
            float expected = model.Expected(candidates.Distance(rank));
            float deviations = (kth - expected) / model.Deviation(expected);

            // Candidates come in the order of their distance, so all further ones are out, too, unless the answer ends where distances
            // are negative and have no deviation.
            if (deviations <= -MaxDeviations)
            {
                if (kth + model.Shift >= 0)
                    break;
                continue;
            }

            Add(frontier.PageOf(rank), Probability(deviations));
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Add(uint page, float gain)
    {
        uint mask = (uint)_size - 1;
        uint at = (page * 0x9E37_79B1u) >> (32 - BitOperations.Log2((uint)_size));
        for (; _slots[at & mask] != 0; at++)
        {
            int known = _slots[at & mask] - 1;
            if (_pages[known] == page)
            {
                _gains[known] += gain;
                return;
            }
        }

        _pages[_count] = page;
        _gains[_count++] = gain;
        _slots[at & mask] = _count;
    }

    /// <summary>Deviations by which the answer ends behind the expected distance of a candidate of a probability.</summary>
    public static float DeviationsFor(float probability)
    {
        int at = Array.BinarySearch(_normal, probability);
        return ((float)(at < 0 ? ~at : at) / StepsPerDeviation) - MaxDeviations;
    }

    private void Clear(int candidates, int listSize)
    {
        _count = 0;
        _size = SlotsFor(candidates);
        if (_slots.Length < SlotsFor(listSize))
        {
            _slots = new int[SlotsFor(listSize)];
            _pages = new uint[listSize];
            _gains = new float[listSize];
        }

        _slots.AsSpan(0, _size).Clear();
    }

    private static int SlotsFor(int candidates) => (int)BitOperations.RoundUpToPowerOf2((uint)candidates) * 2;

    // 0 by 0, a candidate at the query itself, counts as certain.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static float Probability(float deviations)
    {
        if (!(deviations < MaxDeviations))
            return 1;
        return _normal[(int)((deviations + MaxDeviations) * StepsPerDeviation)];
    }

    private static float[] NormalDistribution()
    {
        // Composite midpoint rule on a grid finer than the table's.
        const int finer = 16;
        var table = new float[2 * MaxDeviations * StepsPerDeviation + 1];
        double sum = 3.167e-5;
        double step = 1.0 / (StepsPerDeviation * finer);
        for (int i = 0; i < table.Length; i++)
        {
            table[i] = (float)sum;
            double from = (double)i / StepsPerDeviation - MaxDeviations;
            for (int j = 0; j < finer; j++)
            {
                double x = from + (j + 0.5) * step;
                sum += Math.Exp(-x * x / 2) / Math.Sqrt(2 * Math.PI) * step;
            }
        }

        return table;
    }
}
