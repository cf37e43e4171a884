using System.Diagnostics;

namespace VectorPipe.Searching.Filtering;

/// <summary>The nodes of a graph by nearness, in memory: a query looks for matches in the nearest cells first.</summary>
/// <remarks>
/// <para>A cell is a number of whole pages, where pages hold near nodes: 4 bytes a page. Of the plain layout, whose pages hold any nodes,
/// it is a number of nodes, 4 bytes each. A cell's centre is a code like those of the nodes, so that a query compares it by the same
/// table, in the same scale.</para>
/// <para>Immutable. Nodes that were added after the cells were made lie in none: their pages come after all cells.</para>
/// </remarks>
internal sealed class CodeCells
{
    private readonly uint[] _units;
    private readonly int[] _starts;
    private readonly int[] _firstWords;
    private readonly ulong _reciprocal;

    /// <param name="unitNodes">Slots of a unit.</param>
    /// <param name="units">The units, cell by cell.</param>
    /// <param name="starts">Where each cell begins, and where the last one ends.</param>
    /// <param name="centres">The codes of the centres.</param>
    public CodeCells(int unitNodes, uint[] units, int[] starts, byte[] centres)
    {
        UnitNodes = unitNodes;
        _units = units;
        _starts = starts;
        Centres = centres;
        Numbers = [.. Enumerable.Range(0, starts.Length - 1).Select(cell => (uint)cell)];
        _reciprocal = ((1UL << 32) / (uint)unitNodes) + 1;
        _firstWords = new int[starts.Length];
        for (int cell = 0; cell < Count; cell++)
            _firstWords[cell + 1] = checked(_firstWords[cell] + (int)((((long)(starts[cell + 1] - starts[cell]) * unitNodes) + 63) / 64));
        AssertInvariants();
    }

    /// <summary>Cells.</summary>
    public int Count => _starts.Length - 1;

    /// <summary>Slots of a unit: those of a page, or 1. Unit u has the internal ids from u times this on.</summary>
    public int UnitNodes { get; }

    /// <summary>Internal ids below this lie in a cell.</summary>
    public uint EndId => (uint)(_units.LongLength * UnitNodes);

    /// <summary>The codes of the centres.</summary>
    public byte[] Centres { get; }

    /// <summary>The numbers of all cells, ascending.</summary>
    public uint[] Numbers { get; }

    /// <summary>Bytes of memory.</summary>
    public long MemoryBytes =>
        Centres.LongLength + ((_units.LongLength + _starts.LongLength + _firstWords.LongLength + Numbers.LongLength) * sizeof(uint));

    /// <summary>The units of a cell.</summary>
    public ReadOnlySpan<uint> UnitsOf(int cell) => _units.AsSpan(_starts[cell], _starts[cell + 1] - _starts[cell]);

    /// <summary>Elements of 64 slots, if each cell begins with one.</summary>
    public int Words => _firstWords[^1];

    /// <summary>The elements of a cell.</summary>
    public Span<ulong> WordsOf(int cell, Span<ulong> words) => words[_firstWords[cell].._firstWords[cell + 1]];

    /// <summary>The id of a place in a cell.</summary>
    /// <param name="units">The units of the cell.</param>
    /// <param name="place">The place: below their number times their slots.</param>
    public uint IdOf(ReadOnlySpan<uint> units, int place)
    {
        // A division by multiplication: exact as long as place times slots is below 2^32.
        int unit = (int)((uint)place * _reciprocal >> 32);
        return (units[unit] * (uint)UnitNodes) + (uint)(place - (unit * UnitNodes));
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_starts[0] == 0 && _starts[^1] == _units.Length, "the cells have all units");
        Debug.Assert(_units.Order().Select((unit, i) => unit == i).All(isNext => isNext), "each unit lies in one cell");
        for (int cell = 0; cell < Count; cell++)
            Debug.Assert(_starts[cell] <= _starts[cell + 1], "cells follow each other");
    }
}
