namespace VectorPipe.Searching.Index;

/// <summary>Merged layout: how much is computed to save reads. Immutable.</summary>
/// <param name="FollowFactor">Links of a node are followed if it is at most so many times as far as the answer will reach, unless a query
/// says otherwise; 1 or more.</param>
/// <param name="WalkWidth">Best candidates whose pages are walked to in the page graph before a read is paid for; 1 or more.</param>
/// <param name="ThresholdPower">A threshold of gain that finds something with <see cref="Default"/>, to this power, finds as much.</param>
internal sealed record SearchEffort(float FollowFactor, int WalkWidth, float ThresholdPower)
{
    // Processor time that one preset saves by the reads that it costs: where a read costs more, the next preset is cheaper. Between the
    // first two 19 and 41 us (photo-SIFT 1M, recall@10 0.988 and 0.943)
    // and 31 and 147 us (text embeddings), measured on busy cores; between the last two 60 us and more. See docs/benchmarks.md.
    private const double DefaultFromUs = 20;
    private const double ThoroughFromUs = 200;

    /// <summary>Where reads are cheap beside processor time.</summary>
    public static SearchEffort Quick { get; } = new(1.3f, 16, 1.13f);

    /// <summary>In between, or if nothing is known of the device, and what an index is calibrated with.</summary>
    public static SearchEffort Default { get; } = new(1.3f, 64, 1);

    /// <summary>Where reads are dear.</summary>
    public static SearchEffort Thorough { get; } = new(1.6f, 64, 0.94f);

    /// <summary>The preset whose processor time and reads cost least together.</summary>
    /// <param name="readCostUs">What a read costs, microseconds: from one read of the device to the next.</param>
    /// <param name="threads">Threads that search and share the device: each has to wait for the others' reads, too.</param>
    public static SearchEffort For(double readCostUs, int threads) =>
        readCostUs * threads < DefaultFromUs ? Quick : readCostUs * threads < ThoroughFromUs ? Default : Thorough;

    /// <summary>A threshold of gain that finds as much as another with <see cref="Default"/>.</summary>
    public float Adapt(float threshold) => ThresholdPower == 1 || threshold >= 1 ? threshold : MathF.Pow(threshold, ThresholdPower);
}
