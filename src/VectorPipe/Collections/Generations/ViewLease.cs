namespace VectorPipe.Collections.Generations;

/// <summary>Keeps the generation of a view open.</summary>
internal readonly struct ViewLease(CollectionView view) : IDisposable
{
    public CollectionView View { get; } = view;

    public void Dispose() => View.Generation?.Release();
}
