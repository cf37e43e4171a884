namespace VectorPipe.Tests.Collections;

/// <summary>What several cases need and none changes: the first that asks makes it.</summary>
/// <param name="make">Makes it.</param>
internal sealed class Once<T>(Func<Task<T>> make)
{
    private readonly Lock _gate = new();
    private Task<T>? _made;

    public Task<T> GetAsync()
    {
        lock (_gate)
            return _made ??= make();
    }
}
