using System.Diagnostics;

namespace VectorPipe.Searching.Filtering;

/// <summary>The matches that lie in cells, in the order of the cells: a query passes over slots without a match 64 at a time.</summary>
/// <remarks>
/// Immutable. By pages in the order of their numbers, a filter that is far from the query took three fifths of the processor time of its
/// searches.
/// </remarks>
internal sealed class CellMatches
{
    private readonly ulong[] _words;

    /// <summary>Puts matches into the order of cells.</summary>
    public CellMatches(CodeCells cells, MatchSet matches)
    {
        Cells = cells;
        _words = new ulong[cells.Words];
        for (int cell = 0; cell < cells.Count; cell++)
            Copy(matches, cells.UnitsOf(cell), cells.WordsOf(cell, _words));
        Numbers = [.. cells.Numbers.Where(cell => WordsOf((int)cell).ContainsAnyExcept(0ul))];
    }

    /// <summary>The cells.</summary>
    public CodeCells Cells { get; }

    /// <summary>The numbers of the cells that have a match, ascending.</summary>
    public uint[] Numbers { get; }

    /// <summary>Bytes of memory.</summary>
    public long MemoryBytes => (_words.LongLength * sizeof(ulong)) + (Numbers.LongLength * sizeof(uint));

    /// <summary>The bits of a cell: bit i % 64 of element i / 64 for its place i.</summary>
    public ReadOnlySpan<ulong> WordsOf(int cell) => Cells.WordsOf(cell, _words);

    private void Copy(MatchSet matches, ReadOnlySpan<uint> units, Span<ulong> words)
    {
        int place = 0, slots = Cells.UnitNodes;
        foreach (uint unit in units)
        {
            for (int slot = 0; slot < slots;)
            {
                // As many as are left in the element.
                int count = Math.Min(slots - slot, 64 - (place % 64));
                words[place / 64] |= matches.Bits((unit * (uint)slots) + (uint)slot, count) << (place % 64);
                slot += count;
                place += count;
            }
        }

        Debug.Assert(place == units.Length * slots, "each slot has a place");
    }
}
