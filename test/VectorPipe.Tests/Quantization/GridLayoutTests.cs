using NUnit.Framework;
using VectorPipe.Quantization;

namespace VectorPipe.Tests.Quantization;

public sealed class GridLayoutTests
{
    [Test]
    public void The_levels_of_a_bytes_components_fit_into_it_and_no_more_would([Range(1, 8)] int components)
    {
        var grid = new GridLayout(components, 1);
        int[] levels = grid.Levels.ToArray();
        int points = levels.Aggregate(1, (product, level) => product * level);
        Assert.That(points, Is.LessThanOrEqualTo(256));
        Assert.That(levels, Is.All.GreaterThanOrEqualTo(2));
        Assert.That(points / levels[^1] * (levels[^1] + 1), Is.GreaterThan(256));
    }

    [Test]
    public void Every_component_lies_in_a_byte_of_eight_at_most([Values(6, 20, 128, 129, 384, 1000)] int dimension, [Values(0, 1, 5)] int more)
    {
        var grid = new GridLayout(dimension, GridLayout.LeastBytes(dimension) + more);
        int[] lengths = [.. grid.ChunkOffsets.ToArray().Zip(grid.ChunkOffsets[1..].ToArray(), (first, end) => end - first)];
        Assert.That(lengths.Sum(), Is.EqualTo(dimension));
        Assert.That(lengths, Is.All.InRange(1, 8));
    }

    [Test]
    public void Levels_lie_evenly_around_zero()
    {
        var grid = new GridLayout(5, 1);
        Assert.That(grid.Levels.ToArray(), Is.All.EqualTo(3));
        Assert.That(new[] { grid.Value(0, 0), grid.Value(0, 1), grid.Value(0, 2) }, Is.EqualTo(new[] { -grid.Steps[0], 0, grid.Steps[0] }));
    }

    [Test]
    public void Too_few_and_too_many_bytes_are_refused([Values(1, 18)] int bytes) =>
        Assert.That(() => new GridLayout(17, bytes), Throws.InstanceOf<ArgumentOutOfRangeException>());
}
