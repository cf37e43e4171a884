using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.State;

namespace VectorPipe.Searching.Serving;

/// <summary>Finds out which nodes of an index match a filter: once for each filter, on the thread pool.</summary>
/// <remarks>Thread-safe. What was found lives as long as the filter and the index. A filter that failed is tried again.</remarks>
/// <param name="index">The index, as it was built.</param>
/// <param name="openSession">Opens a session for look-ups, which the caller disposes.</param>
internal sealed class FilterResolver(SearchIndex index, Func<SearchSession> openSession) : IDisposable
{
    // A look-up reads a page at random, a walk over all keys reads pages in a row, many at once.
    private const int WalkedForALookup = 16;

    private readonly ConditionalWeakTable<KeyFilter, Task<MatchSet>> _sets = [];
    private readonly HashSet<Task> _running = [];
    private readonly CancellationTokenSource _closing = new();
    private readonly Lock _lock = new();
    private bool _isDisposed;

    /// <summary>The matches of a filter, if they are known; allocates nothing.</summary>
    public bool TryGet(KeyFilter filter, [NotNullWhen(true)] out MatchSet? matches)
    {
        matches = _sets.TryGetValue(filter, out Task<MatchSet>? task) && task.IsCompletedSuccessfully ? task.Result : null;
        return matches is not null;
    }

    /// <summary>The matches of a filter.</summary>
    /// <exception cref="IndexCorruptException">A page of the key directory is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled; the work goes on for others.</exception>
    /// <exception cref="ObjectDisposedException">The index was disposed.</exception>
    public async Task<MatchSet> ResolveAsync(KeyFilter filter, CancellationToken cancellationToken)
    {
        try
        {
            return await Begin(filter).WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (_closing.IsCancellationRequested && !cancellationToken.IsCancellationRequested)
        {
            throw new ObjectDisposedException("VectorIndex");
        }
    }

    /// <summary>Ends what is under way, and waits for it. Idempotent.</summary>
    public void Dispose()
    {
        Task[] running;
        lock (_lock)
        {
            _isDisposed = true;
            running = [.. _running];
        }

        _closing.Cancel();

        // Whoever asked for it gets its error.
        Task.WhenAll(running).ContinueWith(static _ => { }, TaskScheduler.Default).Wait();
    }

    private Task<MatchSet> Begin(KeyFilter filter)
    {
        lock (_lock)
        {
            if (_sets.TryGetValue(filter, out Task<MatchSet>? known) && !known.IsFaulted && !known.IsCanceled)
                return known;
            ObjectDisposedException.ThrowIf(_isDisposed, "VectorIndex");
            Task<MatchSet> task = Task.Run(() => Resolve(filter, _closing.Token));
            _sets.AddOrUpdate(filter, task);
            _running.Add(task);
            _ = task.ContinueWith(Forget, TaskScheduler.Default);
            return task;
        }
    }

    private void Forget(Task task)
    {
        lock (_lock)
            _running.Remove(task);
    }

    private MatchSet Resolve(KeyFilter filter, CancellationToken cancellationToken)
    {
        NodeKeys keys = index.Keys;
        var bits = new ulong[(keys.NodeCount + 63) / 64];
        if (filter.Keys is { } selected && selected.LongLength * WalkedForALookup < keys.Directory.PageCount)
            LookUp(selected, bits, cancellationToken);
        else
            NodeKeyWalk.Run(index, keys, Take, cancellationToken);
        MatchSet matches = MatchSet.Of(bits, index.Schema.Count);
        if (!matches.IsListed)
            index.PrepareFilters(cancellationToken);
        return matches;

        string? Take(ulong key, uint id)
        {
            if (filter.Selects(key))
                bits[id / 64] |= 1ul << (int)(id % 64);
            return null;
        }
    }

    private void LookUp(ulong[] keys, ulong[] bits, CancellationToken cancellationToken)
    {
        var nodes = new uint?[keys.Length];
        using SearchSession session = openSession();
        session.FindNodes(keys, nodes, null, cancellationToken);
        foreach (uint? node in nodes)
        {
            if (node is { } id)
                bits[id / 64] |= 1ul << (int)(id % 64);
        }
    }
}
