using System.Collections.Frozen;
using System.Collections.Immutable;

namespace VectorPipe.Filters.Expressions;

/// <summary>Sets of texts, which may have a way of their own to compare.</summary>
internal static class TextSets
{
    /// <summary>Whether a collection, if it is a set of texts, takes two for equal only if all of their characters are, as filters
    /// do.</summary>
    public static bool IsOrdinal(object? collection) => collection switch
    {
        HashSet<string> set => IsOrdinal(set.Comparer),
        ImmutableHashSet<string> set => IsOrdinal(set.KeyComparer),
        FrozenSet<string> set => IsOrdinal(set.Comparer),
        SortedSet<string> set => IsOrdinal(set.Comparer),
        ImmutableSortedSet<string> set => IsOrdinal(set.KeyComparer),
        _ => true,
    };

    private static bool IsOrdinal(IEqualityComparer<string> comparer) =>
        ReferenceEquals(comparer, StringComparer.Ordinal) || comparer.Equals(EqualityComparer<string>.Default);

    private static bool IsOrdinal(IComparer<string> comparer) =>
        ReferenceEquals(comparer, StringComparer.Ordinal) || comparer.Equals(Comparer<string>.Default);
}
