using System.Diagnostics;
using VectorPipe.Collections.Columns;
using VectorPipe.Filters.Binding;
using VectorPipe.Searching.Filtering;

namespace VectorPipe.Collections.Generations;

/// <summary>Which records of a generation match a filter, at one of its checkpoints.</summary>
/// <remarks>
/// Thread-safe. The attributes are read into memory at the first filter; each checkpoint takes over those of the one before. A set of
/// matches is found once, on the thread pool, for all searches with equal filters.
/// </remarks>
/// <param name="columns">The attributes, if they are known.</param>
internal sealed class ContentMatches(CollectionColumns? columns = null)
{
    // A set takes a bit for each record: a few make no difference beside the codes.
    private const int MostSets = 16;

    private readonly Lock _lock = new();

    // The last used one at the end.
    private readonly List<(Filter Filter, Task<MatchSet?> Matches)> _sets = [];
    private CollectionColumns? _columns = columns;

    /// <summary>The attributes; null until a filter needed them.</summary>
    public CollectionColumns? Columns => Volatile.Read(ref _columns);

    /// <summary>Bytes of memory.</summary>
    public long MemoryBytes
    {
        get
        {
            lock (_lock)
            {
                long sets = _sets.Sum(set => set.Matches.IsCompletedSuccessfully ? set.Matches.Result?.MemoryBytes ?? 0 : 0);
                return sets + (Columns?.MemoryBytes ?? 0);
            }
        }
    }

    /// <summary>Finds the records that match, those included that waiting writes replaced or deleted.</summary>
    /// <param name="view">A leased view whose content this belongs to, not empty.</param>
    /// <param name="filter">The filter.</param>
    /// <param name="bound">The same, bound to the schema.</param>
    /// <param name="definitions">The attributes of the schema.</param>
    /// <param name="cancellationToken">Ends the waiting; the work goes on for others.</param>
    /// <returns>The matches; null if a later checkpoint has replaced the content before its attributes were read.</returns>
    /// <exception cref="IndexCorruptException">A page is damaged.</exception>
    /// <exception cref="DeviceException">A read failed.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public ValueTask<MatchSet?> FindAsync(
        CollectionView view, Filter filter, BoundFilter bound, AttributeDefinition[] definitions, CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            int at = _sets.FindIndex(set => set.Filter.Equals(filter) && !set.Matches.IsFaulted && !set.Matches.IsCanceled);
            Task<MatchSet?> matches;
            if (at >= 0)
            {
                matches = _sets[at].Matches;
                _sets.RemoveAt(at);
            }
            else
            {
                _sets.RemoveAll(set => set.Matches.IsFaulted || set.Matches.IsCanceled);
                if (_sets.Count == MostSets)
                    _sets.RemoveAt(0);

                // The caller may leave before it has ended.
                CollectionGeneration generation = view.Generation!;
                bool isOpen = generation.TryLease();
                Debug.Assert(isOpen, "the generation of a leased view is open");
                GenerationContent content = view.Content!;
                matches = Task.Run(() => MatchAsync(generation, content, bound, definitions), CancellationToken.None);
            }

            _sets.Add((filter, matches));
            return matches.IsCompletedSuccessfully
                ? new ValueTask<MatchSet?>(matches.Result)
                : new ValueTask<MatchSet?>(matches.WaitAsync(cancellationToken));
        }
    }

    private async Task<MatchSet?> MatchAsync(
        CollectionGeneration generation, GenerationContent content, BoundFilter bound, AttributeDefinition[] definitions)
    {
        try
        {
            if (Columns is null)
            {
                await generation.Gate.WaitAsync().ConfigureAwait(false);
                try
                {
                    if (Columns is null && generation.Latest != content)
                        return null;
                    if (Columns is null)
                        Volatile.Write(ref _columns, new ColumnLoader(generation, content, definitions, CancellationToken.None).Load());
                }
                finally
                {
                    generation.Gate.Release();
                }
            }

            MatchSet matches = Columns!.Match(bound, CancellationToken.None);
            if (!matches.IsListed && !matches.IsAll)
                generation.Index.Contents.PrepareFilters(CancellationToken.None);
            return matches;
        }
        finally
        {
            generation.Release();
        }
    }
}
