using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api;

/// <summary>A collection begins empty: an index of no vectors is valid.</summary>
internal sealed class EmptyIndexTests
{
    private TemporaryFolder _folder = null!;

    [SetUp]
    public void MakeFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    public async Task An_empty_index_is_built_opened_and_verified([Values] IndexKind kind, [Values] DistanceMetric metric)
    {
        BuildReport report = await BuildAsync(new BuildOptions { Metric = metric }.Of(kind));

        Assert.That((report.Points, report.Reachable), Is.EqualTo((0L, 0L)));
        using VectorIndex index = VectorIndex.Open(_folder.File("index"));
        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                (index.Info.Count, index.Info.Dimension, index.Info.ElementType, index.Info.Metric),
                Is.EqualTo((0L, 24, VectorElementType.Float32, metric)));
            Assert.That(await index.GetAsync(7), Is.Null);
            Assert.That((await VectorIndex.VerifyAsync(_folder.File("index"))).Defects, Is.Empty);
        }
    }

    [Test]
    [Platform("Linux")]
    public async Task The_plan_is_that_of_the_build([Values(null, 64L << 20)] long? budget)
    {
        var builder = new VectorIndexBuilder(_folder.File("index"), new BuildOptions { MemoryBudget = budget });
        BuildPlan plan = builder.Plan(Nothing());
        BuildReport report = await builder.BuildAsync(Nothing());

        Assert.That(report.Phases.Select(phase => phase.Name), Is.EqualTo(plan.Phases.Select(phase => phase.Name)));
        Assert.That(report.IndexBytes, Is.LessThan(plan.IndexBytes + 4096));
    }

    [Test]
    public async Task An_empty_index_and_a_full_one_replace_each_other()
    {
        await BuildAsync(new BuildOptions());
        await new VectorIndexBuilder(_folder.File("index")).BuildAsync(VectorSource.FromMemory(new float[20 * 24], 24));
        Assert.That(VectorIndex.Inspect(_folder.File("index")).Count, Is.EqualTo(20));
        await BuildAsync(new BuildOptions());
        Assert.That(VectorIndex.Inspect(_folder.File("index")).Count, Is.Zero);
    }

    private static VectorSource Nothing() => VectorSource.FromMemory(Array.Empty<float>(), 24);

    private Task<BuildReport> BuildAsync(BuildOptions options) =>
        new VectorIndexBuilder(_folder.File("index"), options).BuildAsync(Nothing());
}
