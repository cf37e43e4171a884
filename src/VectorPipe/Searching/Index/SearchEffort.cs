namespace VectorPipe.Searching.Index;

/// <summary>Merged layout: how much a search computes to save reads. Immutable.</summary>
/// <param name="FollowFactor">The follow factor, unless a query sets its own; 1 or more.</param>
/// <param name="WalkWidth">Best candidates whose pages are walked in the page graph before a read; 1 or more.</param>
/// <param name="ThresholdPower">A threshold to this power finds as much as the threshold finds with <see cref="Default"/>.</param>
internal sealed record SearchEffort(float FollowFactor, int WalkWidth, float ThresholdPower)
{
    // From this cost of a read on, the next preset is cheaper: see docs/decisions.md#effort-by-the-cost-of-a-read.
    private const double DefaultFromUs = 20;
    private const double ThoroughFromUs = 200;

    // Up to so many vectors a short walk finds the way; in more of them it has farther to go.
    private const double ShortWalkVectors = 1e6;

    /// <summary>For reads that are cheap beside processor time.</summary>
    public static SearchEffort Quick { get; } = new(1.3f, 16, 1.13f);

    /// <summary>In between, or for a device of unknown cost. An index is calibrated with it.</summary>
    public static SearchEffort Default { get; } = new(1.3f, 64, 1);

    /// <summary>For reads that are dear.</summary>
    public static SearchEffort Thorough { get; } = new(1.6f, 64, 0.94f);

    /// <summary>Whether reads are cheap beside processor time.</summary>
    public bool IsQuick => FollowFactor == Quick.FollowFactor && ThresholdPower == Quick.ThresholdPower;

    /// <summary>The preset whose processor time and reads together cost least.</summary>
    /// <param name="readCostUs">Microseconds from one read of the device to the next.</param>
    /// <param name="threads">Threads that share the device: each waits for the others' reads, too.</param>
    /// <param name="count">Vectors of the index.</param>
    public static SearchEffort For(double readCostUs, int threads, long count) =>
        readCostUs * threads < DefaultFromUs ? QuickFor(count) : readCostUs * threads < ThoroughFromUs ? Default : Thorough;

    // A walk is as long as a large index needs: 10M vectors, 16, 32 and 64 candidates walked: recall 0.912, 0.928 and 0.948 where 0.95 was
    // asked for, with 9.1, 8.7 and 8.6 reads and a fifth more code distances at most.
    private static SearchEffort QuickFor(long count) => Quick with
    {
        WalkWidth = (int)Math.Clamp(Quick.WalkWidth * Math.Sqrt(count / ShortWalkVectors), Quick.WalkWidth, Default.WalkWidth),
    };

    /// <summary>The threshold that finds as much as a threshold finds with <see cref="Default"/>.</summary>
    public float Adapt(float threshold) => ThresholdPower == 1 || threshold >= 1 ? threshold : MathF.Pow(threshold, ThresholdPower);

    /// <summary>The threshold with <see cref="Default"/> that finds as much as a threshold finds with this effort.</summary>
    public float Restore(float threshold) => ThresholdPower == 1 || threshold >= 1 ? threshold : MathF.Pow(threshold, 1 / ThresholdPower);
}
