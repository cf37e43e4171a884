namespace VectorPipe.Pipeline;

/// <content>Reads whose completion does not come in time.</content>
internal sealed unsafe partial class PendingIoSession
{
    /// <summary>Names every op that is not in the pool: for error messages and test failures.</summary>
    public string DescribeInFlight()
    {
        var lines = _ops.Where(op => op.State != PendingIoState.Free).Take(16).Select(op =>
            $"slot {op.Slot}: {op.State}, {op.RequestLength} bytes at {op.RequestOffset} of file {op.RequestFile}, attempt "
            + $"{op.Attempts}, {_clock.Ms - op.IssuedAtMs} ms old");
        return $"{Pending} pending, {_abandoned} abandoned, {_ready.Count} ready; {string.Join("; ", lines)}";
    }

    /// <summary>Cuts a wait down to what the device may take for it, and to the moment at which the first read can be overdue.</summary>
    /// <param name="wait">Wanted.</param>
    /// <param name="waitedMs">Milliseconds of it that have passed.</param>
    private TimeSpan UntilOverdue(TimeSpan wait, long waitedMs)
    {
        long nowMs = _clock.Look(waitedMs);
        if (wait <= TimeSpan.Zero || Pending == 0)
            return wait;
        long leftMs = Math.Clamp(_overdueAtMs - nowMs, 0, (long)_longestWait.TotalMilliseconds);
        return wait.TotalMilliseconds < leftMs ? wait : TimeSpan.FromMilliseconds(leftMs);
    }

    /// <summary>Fails reads whose completion is overdue; their ops stay out of the pool until the device gives them back.</summary>
    private void FailOverdue()
    {
        long nowMs = _clock.Ms;
        if (nowMs < _overdueAtMs)
            return;

        // A read that is issued from now on is overdue later than this: until then no look at all ops can find anything new.
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

            string dump = DescribeInFlight();
            IPendingIoOwner owner = op.Owner!;
            op.MarkAbandoned();
            _abandoned++;
            Pending--;
            owner.OnReadFailed(op, new TimeoutException(
                $"Reading {op.RequestLength} bytes at {op.RequestOffset} of file {op.RequestFile} did not finish within "
                + $"{_readTimeoutMs / 1000.0} s. {dump}"));
        }

        // Not before: an owner that throws leaves the rest to the next turn.
        _overdueAtMs = nextMs;
    }

    private void Reclaim(PendingIoContext op)
    {
        _abandoned--;
        op.Release();
        _free[_freeCount++] = op;
    }
}
