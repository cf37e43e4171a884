namespace VectorPipe.Collections.Generations;

/// <summary>A lease that a rebuild gives up when it has read what it needs, or else its caller at the end. Thread-safe.</summary>
/// <param name="view">The view, leased; the lease is owned from here on.</param>
internal sealed class PinnedLease(CollectionView view) : IDisposable
{
    private CollectionView? _view = view;

    public void Dispose() => Interlocked.Exchange(ref _view, null)?.Release();
}
