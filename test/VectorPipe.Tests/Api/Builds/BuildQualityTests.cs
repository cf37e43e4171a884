using Microsoft.Extensions.Logging;
using NUnit.Framework;
using VectorPipe.Building.Graphs;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Reference.Vamana;
using VectorPipe.Tests.Devices;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api.Builds;

/// <summary>A build reports whether searches reach every node of its graph.</summary>
internal sealed class BuildQualityTests
{
    private readonly RecordingLogger _logger = new();
    private TemporaryFolder _folder = null!;

    [SetUp]
    public void MakeFolder()
    {
        _folder = new TemporaryFolder();
        _logger.Messages.Clear();
    }

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    [Spread(2)]
    public void A_good_graph_finds_its_own_nodes([Values] bool isVamana)
    {
        BuildOptions options = BuildOptionsTuning.SmallGraph(degree: 24, listSize: 48);
        BuildReport report = isVamana ? Build(options.In(IndexLayout.Plain), new VamanaBuilder()) : Build(options, null);

        Assert.That(report.FoundThemselves, Is.InRange(0.995, 1));
        Assert.That(_logger.Messages, Has.None.Contains("searches miss"));
        Assert.That(_logger.Messages, Has.One.Contains("Of 2000 nodes searched for"));
    }

    [Test]
    public void A_poor_graph_is_a_logged_warning()
    {
        BuildReport report = Build(
            BuildOptionsTuning.SmallGraph(degree: 4, listSize: 4).In(IndexLayout.Plain).Tuned(tuning => tuning with { Alpha = 1 }),
            new VamanaBuilder());

        Assert.That(report.FoundThemselves, Is.LessThan(0.995));
        Assert.That(_logger.Messages, Has.One.Contains("searches miss regions of the graph"));
    }

    private BuildReport Build(BuildOptions options, IGraphBuilder? builder)
    {
        byte[] rows = new byte[2000 * 48];
        new Random(9).NextBytes(rows);
        using ILoggerFactory factory = new OneLoggerFactory(_logger);
        return new VectorIndexBuilder(
            _folder.File("index"), options,
            factory)
        { GraphBuilder = builder, CalibrationQueries = 50 }.BuildAsync(VectorSource.FromMemory<byte>(rows, 48)).GetAwaiter().GetResult();
    }
}
