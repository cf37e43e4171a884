namespace VectorPipe.Server.Sets;

/// <summary>A set that is held until this is disposed, once.</summary>
internal readonly struct HeldSet(VectorSet set) : IDisposable
{
    public VectorSet Set { get; } = set;

    public void Dispose() => Set.Release();
}
