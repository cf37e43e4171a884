namespace VectorPipe.Storage;

/// <summary>What the verification of an index of lists holds its pages against: the places of the lists, and the keys.</summary>
/// <remarks>Reading is thread-safe.</remarks>
internal sealed class ListCheck
{
    private readonly ListDirectory _lists;
    private readonly NodeLayout _layout;

    private ListCheck(ListDirectory lists, NodeLayout layout)
    {
        _lists = lists;
        _layout = layout;
    }

    /// <summary>Reads the places of the lists; null if the index has none.</summary>
    /// <exception cref="IndexCorruptException">They are damaged, or do not fit the index.</exception>
    public static ListCheck? Open(string directory, Manifest manifest, CancellationToken cancellationToken)
    {
        if (manifest.Schema.Lists is null)
            return null;
        using ListTable lists = ListTable.Load(directory, manifest, cancellationToken);
        return new ListCheck(lists.Directory, manifest.Schema.CreateLayout());
    }

    /// <summary>Tells what is wrong with a page of vectors whose checksum is right; null if nothing is.</summary>
    /// <param name="page">The page.</param>
    /// <param name="number">Its number, from 0.</param>
    /// <param name="keys">What its keys are compared with; null for nothing.</param>
    public string? FindDefect(NodePage page, uint number, KeyDirectoryCheck? keys)
    {
        if (page.FindDefect() is { } defect)
            return defect;
        if (number >= _lists.Pages)
            return $"expected pages below {_lists.Pages}, found page {number}";
        int expected = _lists.VectorsOf(number);
        if (page.Count != expected)
            return $"expected {expected} vectors, found {page.Count}";
        for (int slot = 0; slot < page.Count; slot++)
        {
            if (page.State(slot) == NodeState.Free)
                return $"expected a vector in slot {slot}, found none";
            if (keys?.FindDefect(((long)number * _layout.NodesPerPage) + slot, page.Key(slot)) is { } mismatch)
                return mismatch;
        }

        return null;
    }

    /// <summary>Tells what is wrong with a page of codes whose checksum is right; null if nothing is.</summary>
    /// <param name="page">The page.</param>
    /// <param name="number">Its number, from 0.</param>
    public string? FindDefect(ReadOnlySpan<byte> page, uint number)
    {
        if (number >= _lists.CodePages)
            return $"expected pages below {_lists.CodePages}, found page {number}";
        int expected = _lists.CodesOf(number, out _);
        return PageCodec.Items(page) == expected ? null : $"expected {expected} codes, found {PageCodec.Items(page)}";
    }
}
