using NUnit.Framework;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Opening;

/// <summary>Vectors close together make queries that are easy to answer: a table by them claims no more than others find.</summary>
internal sealed class ClaimedRecallTests
{
    private const int Dimension = 32;
    private const int Groups = 100;
    private const int OfGroup = 30;
    private const int Queries = 200;

    private TemporaryFolder _folder = null!;

    private string Index => _folder.File("index");

    [OneTimeSetUp]
    public async Task BuildAsync()
    {
        _folder = new TemporaryFolder();
        await using VectorSource source = VectorSource.FromMemory(Draw(Groups * OfGroup), Dimension);
        await VectorIndex.BuildAsync(Index, source);
    }

    [OneTimeTearDown]
    public void Delete() => _folder.Dispose();

    [Test]
    public async Task A_table_claims_no_more_than_real_queries_find()
    {
        IReadOnlyList<IndexCalibrationPoint> claimed = VectorIndex.Inspect(Index).Calibration;
        await using VectorSource queries = VectorSource.FromMemory(Draw(Queries), Dimension);
        IReadOnlyList<IndexCalibrationPoint> measured = (await VectorIndex.CalibrateAsync(Index, queries)).Calibration;
        Assert.Multiple(() =>
        {
            Assert.That(claimed[0], Is.EqualTo(claimed[0] with { Threshold = 1, Recall = 1 - MathF.Pow(1f / 3, 5f / 3) }));
            Assert.That(claimed.Select(point => point.Recall), Is.Ordered);
            Assert.That(claimed.First(point => point.Threshold == 0.4f).Recall, Is.EqualTo(0.965f).Within(0.001f));
            Assert.That(measured[0].Recall, Is.GreaterThan(claimed[0].Recall), "that of given queries is as it was measured");
        });
    }

    // In groups whose members are nearly the same.
    private static float[] Draw(int count)
    {
        var random = new Random(1);
        float[][] centres =
            [.. Enumerable.Range(0, Groups).Select(_ => Enumerable.Range(0, Dimension).Select(_ => random.NextSingle()).ToArray())];
        return
        [
            .. Enumerable.Range(0, count).SelectMany(i => centres[i % Groups].Select(value => value + (0.02f * random.NextSingle()))),
        ];
    }
}
