namespace VectorPipe.Server.Tests.Clustering.Postgres;

/// <summary>A call to a node that has ended.</summary>
/// <param name="Node">The node.</param>
/// <param name="Began">When it was sent, a time stamp.</param>
/// <param name="Ended">When its reply was there, a time stamp.</param>
/// <param name="Error">The reply, if it says that the call has failed.</param>
internal sealed record ClusterCall(int Node, long Began, long Ended, string? Error)
{
    /// <summary>How long it took.</summary>
    public TimeSpan Took => TimeProvider.System.GetElapsedTime(Began, Ended);
}
