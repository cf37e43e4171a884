using NUnit.Framework;
using VectorPipe.Building.Codes;
using VectorPipe.Indexes;
using VectorPipe.Model;

namespace VectorPipe.Tests.Building.Ivf;

/// <summary>A collection that cannot be addressed is refused before a vector is read; one that can is planned.</summary>
public sealed class LargePlanTests
{
    private const long Billion = 1_000_000_000;

    [Test]
    public void A_billion_vectors_are_planned(
        [Values(128, 768, 1536)] int dimension, [
            Values(VectorElementType.UInt8, VectorElementType.Float32)] VectorElementType type, [Values] IndexKind kind)
    {
        BuildPlan plan = Plan(OptionsOf(kind), type, dimension, Billion);
        Assert.That(plan.IndexBytes, Is.GreaterThan(Billion * dimension));
        Assert.That(plan.MemoryBytes, Is.GreaterThan(Billion * dimension));
    }

    [Test]
    public void Centroids_beyond_an_array_are_planned_with_their_bytes()
    {
        // 128 rows a list of 768 components, and up to twice as many lists: more floats than an array holds.
        BuildPlan plan = Plan(OptionsOf(IndexKind.Ivf), VectorElementType.Float32, 768, 400_000_000);
        Assert.That(plan.MemoryBytes, Is.GreaterThan(400_000_000 / 128 * 768L * sizeof(float)));
    }

    [Test]
    public void More_vectors_than_arrays_have_items_are_refused([Values] IndexKind kind)
    {
        Assert.That(() => Plan(OptionsOf(kind), VectorElementType.UInt8, 16, SchemaLimits.MaxBuilt), Throws.Nothing);
        Assert.That(
            () => Plan(OptionsOf(kind), VectorElementType.UInt8, 16, SchemaLimits.MaxBuilt + 1),
            Throws.TypeOf<ArgumentOutOfRangeException>().With.Message.Contains($"{SchemaLimits.MaxBuilt}"));
    }

    [Test]
    public void Lists_whose_last_pages_leave_more_places_than_there_are_numbers_are_refused()
    {
        var options = new BuildOptions { Ivf = new IvfBuild { Lists = 100_000, PageSize = 1 << 20 } };
        Assert.That(
            () => Plan(options, VectorElementType.UInt8, 8, 100_000_000),
            Throws.TypeOf<ArgumentOutOfRangeException>().With.Message.Contains($"{SchemaLimits.MaxCount:N0}"));
        Assert.That(
            () => Plan(options with { Ivf = options.Ivf! with { PageSize = 4096 } }, VectorElementType.UInt8, 8, 100_000_000),
            Throws.Nothing);
    }

    [Test]
    public void The_sample_of_the_codes_fits_into_an_array([Values(1, 128, 32_767, 32_768)] int dimension)
    {
        int samples = CodeTrainer.SamplesOf(Billion, dimension);
        Assert.That((long)samples * dimension, Is.LessThanOrEqualTo(Array.MaxLength));
        Assert.That(samples, Is.InRange(65_535, 65_536));
    }

    private static BuildOptions OptionsOf(IndexKind kind) => new() { Ivf = kind == IndexKind.Ivf ? new IvfBuild() : null };

    private static BuildPlan Plan(BuildOptions options, VectorElementType type, int dimension, long count) =>
        new VectorIndexBuilder("index", options with { Threads = 2 }).Plan(new CountedSource(type, dimension, count));

    private sealed class CountedSource(VectorElementType type, int dimension, long count) : VectorSource
    {
        public override VectorElementType ElementType => type;

        public override int Dimension => dimension;

        public override long Count => count;

        public override ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default) =>
            throw new InvalidOperationException("A plan reads no vector.");
    }
}
