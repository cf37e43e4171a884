using System.Diagnostics.CodeAnalysis;

namespace VectorPipe.Tasks;

/// <summary>Objects that wait to be used again: as many as were ever used at once, up to a bound. Thread-safe.</summary>
/// <remarks>A lock costs nothing beside a search; a concurrent bag takes the locks of all threads to tell its count.</remarks>
/// <param name="most">Most objects that wait.</param>
internal sealed class IdleObjects<T>(int most)
    where T : class
{
    private readonly Lock _lock = new();
    private readonly Stack<T> _idle = new();

    /// <summary>Takes the one that was used last, whose memory is likely to be in the processor's caches; false if none waits.</summary>
    public bool TryTake([NotNullWhen(true)] out T? idle)
    {
        lock (_lock)
            return _idle.TryPop(out idle);
    }

    /// <summary>Keeps an object that nobody uses, or leaves it to the garbage collector.</summary>
    public void Keep(T idle)
    {
        lock (_lock)
        {
            if (_idle.Count < most)
                _idle.Push(idle);
        }
    }
}
