using NUnit.Framework;
using VectorPipe.Model;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Graph;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching.Filtering;

/// <summary>The cells of a graph hold every node once, near ones together, and are the same at every opening.</summary>
internal sealed class CodeCellsTests
{
    [Test]
    public void Every_unit_lies_in_one_cell([Values] IndexLayout layout)
    {
        using TestIndex test = TestIndex.Build(count: 4000, layout: layout);
        CodeCells cells = Train(test);
        int unit = layout == IndexLayout.Merged ? Layout(test) : 1;

        Assert.That(cells.UnitNodes, Is.EqualTo(unit));
        Assert.That(
            Enumerable.Range(0, cells.Count).SelectMany(cell => cells.UnitsOf(cell).ToArray()).Order(),
            Is.EqualTo(Enumerable.Range(0, (int)(cells.EndId / (uint)unit))));
        Assert.That(cells.EndId, Is.GreaterThanOrEqualTo(4000));
        Assert.That(cells.Count, Is.InRange(30, 80), "about the square root of the nodes");
    }

    [Test]
    public void The_same_codes_make_the_same_cells()
    {
        using TestIndex test = TestIndex.Build(count: 4000);
        CodeCells first = Train(test), second = Train(test);

        Assert.That(second.Centres, Is.EqualTo(first.Centres));
        for (int cell = 0; cell < first.Count; cell++)
            Assert.That(second.UnitsOf(cell).ToArray(), Is.EqualTo(first.UnitsOf(cell).ToArray()), $"cell {cell}");
    }

    [Test]
    public void A_small_index_needs_none()
    {
        using TestIndex test = TestIndex.Build(count: 2000);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        index.Contents.PrepareFilters(default);

        Assert.That(((GraphIndex)index.Contents).Cells, Is.Null);
    }

    [Test]
    public void Training_can_be_cancelled()
    {
        using TestIndex test = TestIndex.Build(count: 4000);
        using VectorIndex index = test.Open(DeviceKind.Memory);

        Assert.That(
            () => index.Contents.PrepareFilters(new CancellationToken(canceled: true)), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(() => index.Contents.PrepareFilters(default), Throws.Nothing);
    }

    private static int Layout(TestIndex test)
    {
        using VectorIndex index = test.Open(DeviceKind.Memory);
        return index.Info.NodesPerPage;
    }

    private static CodeCells Train(TestIndex test)
    {
        using VectorIndex index = test.Open(DeviceKind.Memory);
        index.Contents.PrepareFilters(default);
        return ((GraphIndex)index.Contents).Cells!;
    }
}
