using VectorPipe.Building.Paging;

namespace VectorPipe;

/// <summary>A phase of a build as a plan reckons with it: processor time at degree 64 on one machine.</summary>
/// <param name="Name">Name of the phase.</param>
/// <param name="Stage">The stage that says what is in memory.</param>
/// <param name="FixedUs">Microseconds a point, whatever the vectors.</param>
/// <param name="DistanceUs">Microseconds a point that grow with the time of a distance; for 128 bytes.</param>
/// <param name="PagedFactor">How many times as long it takes if tables are paged, even if all is in memory.</param>
internal sealed record BuildPlanStep(string Name, BuildStage Stage, double FixedUs, double DistanceUs, double PagedFactor = 1)
{
    /// <summary>Whether all threads work on it.</summary>
    public bool IsParallel { get; init; } = true;

    /// <summary>Whether it takes longer in proportion to the degree.</summary>
    public bool GrowsWithDegree { get; init; }

    /// <summary>The points that it is about, of all points.</summary>
    public Func<long, long> PointsOf { get; init; } = points => points;
}
