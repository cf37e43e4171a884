namespace VectorPipe.Building.Work;

/// <summary>The scratch of work that needs none.</summary>
internal sealed class NoScratch : IDisposable
{
    /// <summary>The only one; nothing happens when it is disposed.</summary>
    public static readonly NoScratch Instance = new();

    /// <summary>Does nothing.</summary>
    public void Dispose()
    {
    }
}
