namespace VectorPipe.Pipeline;

/// <content>Reads whose completion does not come in time.</content>
internal sealed unsafe partial class PendingIoSession
{
    /// <summary>The ops that are not in the pool, in words: for error messages and test failures.</summary>
    public string DescribeInFlight()
    {
        var lines = _ops.Where(op => op.State != PendingIoState.Free).Take(16).Select(op =>
            $"slot {op.Slot}: {op.State}, {op.Request}, attempt {op.Attempts}, {_clock.Ms - op.IssuedAtMs} ms old");
        return $"{Pending} pending, {_abandoned} abandoned, {Ready} ready; {string.Join("; ", lines)}";
    }

    /// <summary>Shortens a wait to the device's bound and to the moment at which the first read can be overdue.</summary>
    /// <param name="wait">The wanted wait.</param>
    /// <param name="waitedMs">Milliseconds of it that have passed.</param>
    private TimeSpan UntilOverdue(TimeSpan wait, long waitedMs)
    {
        long nowMs = _clock.Look(waitedMs);
        if (wait <= TimeSpan.Zero || Pending == 0)
            return wait;
        long leftMs = Math.Clamp(_overdueAtMs - nowMs, 0, (long)_longestWait.TotalMilliseconds);
        return wait.TotalMilliseconds < leftMs ? wait : TimeSpan.FromMilliseconds(leftMs);
    }

    /// <summary>Fails overdue reads; their ops stay out of the pool until the device hands them back.</summary>
    private void FailOverdue()
    {
        long nowMs = _clock.Ms;
        if (nowMs < _overdueAtMs)
            return;

        // A read issued from here on is overdue later than this, so no scan of the ops can find one before.
        long nextMs = nowMs + _readTimeoutMs;
        foreach (PendingIoContext op in _ops)
        {
            if (op.State != PendingIoState.Issued)
                continue;
            if (nowMs - op.IssuedAtMs < _readTimeoutMs)
            {
                nextMs = Math.Min(nextMs, op.IssuedAtMs + _readTimeoutMs);
                continue;
            }

            var error = new TimeoutException(
                $"Reading {op.Request} did not finish within {_readTimeoutMs / 1000.0} s. {DescribeInFlight()}");
            IPendingIoOwner owner = op.Owner!;
            op.MarkAbandoned();
            _abandoned++;
            Pending--;
            owner.OnReadFailed(op, error);
        }

        // Last: if an owner throws, the next turn fails the remaining reads.
        _overdueAtMs = nextMs;
    }

    private void Reclaim(PendingIoContext op)
    {
        _abandoned--;
        GiveBack(op);
    }
}
