using VectorPipe.Bench.Builds;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Mixes;

/// <summary>What a run wrote and rebuilt, from its first measured operation to its last. One measurement.</summary>
internal sealed class MixCosts(VectorCollection<ulong> collection) : ISearchObserver
{
    private ProcessIo? _before;
    private long _generation;

    /// <summary>Bytes written to storage by the process; null if the operating system cannot tell.</summary>
    public long? WrittenBytes { get; private set; }

    /// <summary>Rebuilds that ended.</summary>
    public long Rebuilds { get; private set; }

    /// <summary>State at the end.</summary>
    public CollectionStatus? Status { get; private set; }

    public void OnStarting()
    {
        _before = ProcessIo.Read();
        _generation = collection.Status.Generation;
    }

    public void OnFinished()
    {
        Status = collection.Status;
        WrittenBytes = _before is { } before ? ProcessIo.Read()?.Since(before).WrittenBytes : null;
        Rebuilds = Status.Generation - _generation;
    }

    // A collection's sessions are its own.
    public SessionCounts CountsOf(SearchSession session) => default;
}
