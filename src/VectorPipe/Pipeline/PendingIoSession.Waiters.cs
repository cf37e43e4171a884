namespace VectorPipe.Pipeline;

/// <content>Those who wait for the end of a turn.</content>
internal sealed unsafe partial class PendingIoSession
{
    private readonly List<IDrainWaiter> _waiters = new(4);
    private bool _isTelling;

    /// <summary>Has someone told at the end of the next turn, once.</summary>
    public void TellWhenDrained(IDrainWaiter waiter) => _waiters.Add(waiter);

    /// <summary>Tells those who waited when this turn ended; who waits again meanwhile waits for the next.</summary>
    private void TellWaiters()
    {
        // Whoever is told may go on to code that drains: that turn has nobody to tell.
        if (_isTelling)
            return;
        int told = 0;
        int count = _waiters.Count;
        _isTelling = true;
        try
        {
            while (told < count)
                _waiters[told++].OnDrained();
        }
        finally
        {
            _isTelling = false;
            _waiters.RemoveRange(0, told);
        }
    }
}
