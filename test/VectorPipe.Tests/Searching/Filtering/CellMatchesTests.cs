using System.Numerics;
using NUnit.Framework;
using VectorPipe.Searching.Filtering;

namespace VectorPipe.Tests.Searching.Filtering;

public sealed class CellMatchesTests
{
    [Test]
    public void Each_cell_has_its_matches_and_others_are_left_out(
        [Values(1, 5, 12, 63, 64, 65, 200)] int unitNodes, [Values(0.0, 0.001, 0.3, 1.0)] double share)
    {
        const int Units = 300, Cells = 17;
        var random = new Random(unitNodes);
        int[] cellOf = [.. Enumerable.Range(0, Units).Select(_ => random.Next(Cells - 1))];
        uint[] units = [.. Enumerable.Range(0, Units).OrderBy(unit => cellOf[unit]).Select(unit => (uint)unit)];
        int[] starts = [.. Enumerable.Range(0, Cells + 1).Select(cell => cellOf.Count(other => other < cell))];
        var cells = new CodeCells(unitNodes, units, starts, new byte[Cells]);

        // Some nodes lie in no cell; the last one never matches, so that not all do.
        int nodes = (Units * unitNodes) + 100;
        var bits = new ulong[(nodes + 63) / 64];
        for (int id = 0; id < nodes - 1; id++)
            bits[id / 64] |= random.NextDouble() < share ? 1ul << id : 0;
        MatchSet matches = MatchSet.Of(bits, nodes);
        CellMatches inCells = matches.In(cells);
        Assert.That(matches.In(cells), Is.SameAs(inCells), "they are made once");
        var met = new List<uint>();
        for (int cell = 0; cell < Cells; cell++)
        {
            List<uint> found = [];
            ReadOnlySpan<ulong> words = inCells.WordsOf(cell);
            for (int i = 0; i < words.Length; i++)
            {
                for (ulong mask = words[i]; mask != 0; mask &= mask - 1)
                    found.Add(cells.IdOf(cells.UnitsOf(cell), (i * 64) + BitOperations.TrailingZeroCount(mask)));
            }

            Assert.That(
                found,
                Is.EqualTo(cells.UnitsOf(cell).ToArray().SelectMany(unit => Enumerable.Range((int)unit * unitNodes, unitNodes))
                    .Where(id => matches.Contains((uint)id)).Select(id => (uint)id)));
            if (found.Count > 0)
                met.Add((uint)cell);
        }

        Assert.That(inCells.Numbers, Is.EqualTo(met));
    }
}
