using System.Collections.Immutable;

namespace VectorPipe.Tests.Collections.Crash;

/// <summary>The states that a collection goes through, one after each write: the version of each key.</summary>
internal sealed class CrashHistory
{
    private readonly List<ImmutableSortedDictionary<int, int>> _states = [ImmutableSortedDictionary<int, int>.Empty];

    /// <summary>Number of the state that the last acknowledged write made.</summary>
    public int Acknowledged { get; private set; }

    /// <summary>Number of the state at the last flush.</summary>
    public int Flushed { get; private set; }

    /// <summary>Number of the state that the last write makes, acknowledged or not.</summary>
    public int Attempted => _states.Count - 1;

    /// <summary>The last state.</summary>
    public ImmutableSortedDictionary<int, int> Current => _states[^1];

    public ImmutableSortedDictionary<int, int> this[int number] => _states[number];

    public void Begin(ImmutableSortedDictionary<int, int> next) => _states.Add(next);

    public void Acknowledge() => Acknowledged = Attempted;

    public void Flush() => Flushed = Acknowledged;

    /// <summary>The last write was not made.</summary>
    public void Withdraw() => _states.RemoveAt(Attempted);

    /// <summary>Whether one of the states from the first number to the last is what was found.</summary>
    public bool Has(SortedDictionary<int, int> found, int first, int last) =>
        Enumerable.Range(first, last - first + 1).Any(number => _states[number].SequenceEqual(found));

    /// <summary>What was expected, and what was found instead.</summary>
    public string Describe(SortedDictionary<int, int> found, int first, int last)
    {
        // Many keys never change: name those that do.
        HashSet<int> changed = [.. found.Except(_states[last]).Concat(_states.SelectMany(state => state.Except(_states[last])))
            .Select(pair => pair.Key)];
        changed.UnionWith(_states[last].Keys.Except(found.Keys));
        return $"expected {string.Join(" or ", Enumerable.Range(first, last - first + 1).Select(number => Text(_states[number])))}, "
            + $"found {Text(found)}; earlier: {string.Join(" < ", _states.Take(first).TakeLast(4).Select(Text))}";

        string Text(IEnumerable<KeyValuePair<int, int>> state) =>
            $"[{string.Join(' ', state.Where(pair => changed.Contains(pair.Key)).Select(pair => $"{pair.Key}:{pair.Value}"))}]";
    }
}
