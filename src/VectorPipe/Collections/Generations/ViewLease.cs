namespace VectorPipe.Collections.Generations;

/// <summary>Keeps the generation of a view open, and its pages as they are.</summary>
internal readonly struct ViewLease(CollectionView view) : IDisposable
{
    public CollectionView View { get; } = view;

    public void Dispose() => View.Release();
}
