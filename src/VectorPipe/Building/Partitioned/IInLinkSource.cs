namespace VectorPipe.Building.Partitioned;

/// <summary>Where the links into a range of positions come from. One thread's.</summary>
internal interface IInLinkSource : IDisposable
{
    /// <summary>Collects the links into positions first .. first+count-1.</summary>
    /// <param name="inLinks">Receives them.</param>
    /// <param name="first">First target.</param>
    /// <param name="count">Targets.</param>
    /// <param name="cancellationToken">Observed every few thousand links.</param>
    void Collect(InLinks inLinks, int first, int count, CancellationToken cancellationToken);
}
