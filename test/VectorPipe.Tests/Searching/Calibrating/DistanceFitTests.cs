using NUnit.Framework;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Searching.Pools;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Tests.Searching.Calibrating;

/// <summary>The fit of code distances to exact ones, from pairs of both.</summary>
public sealed class DistanceFitTests
{
    private const int Seed = 11;

    [TestCase(1f)]
    [TestCase(0.5f)]
    [TestCase(1.3f)]
    public void The_factor_and_the_spread_of_the_pairs_are_found(float slope)
    {
        const double spread = 0.02;
        var random = new Random(Seed);
        var fit = new DistanceFit(DistanceMetric.L2, 0);
        for (int i = 0; i < 50_000; i++)
        {
            double code = 0.05 + (0.6 * random.NextDouble());
            fit.Add((float)code, (float)((slope * code) + (spread * Math.Sqrt(slope * code) * Normal(random))), 1);
        }

        Calibration calibration = fit.ToCalibration();

        Assert.That(calibration.Slope, Is.EqualTo(slope).Within(0.003), $"seed {Seed}");
        Assert.That(calibration.Spread, Is.EqualTo(spread).Within(0.0005), $"seed {Seed}");
        var model = new DistanceModel(calibration.Slope, calibration.Spread, 0);
        Assert.That(model.Deviation(model.Expected(0.05f)), Is.EqualTo(spread * Math.Sqrt(slope * 0.05)).Within(0.0005));
    }

    [Test]
    public void Inner_product_distances_are_made_positive_before_a_comparison()
    {
        // Half the squared norms of the query (1) and of the largest vector (3): in the augmented space a code distance of -1
        // is 1, and 0 is 2.
        var fit = new DistanceFit(DistanceMetric.InnerProduct, 3);
        fit.Add(-1, -1.1f, 1);
        fit.Add(0, -0.2f, 1);
        Calibration calibration = fit.ToCalibration();
        Assert.That(calibration.Slope, Is.EqualTo(0.9f).Within(1e-6));
        Assert.That(new DistanceModel(calibration.Slope, calibration.Spread, 2).Expected(-1), Is.EqualTo(-1.1f).Within(1e-6));
    }

    [Test]
    public void Estimates_at_or_below_zero_do_not_widen_the_spread_of_all_others()
    {
        const double spread = 0.1;
        var random = new Random(Seed);
        var fit = new DistanceFit(DistanceMetric.L2, 0);
        for (int i = 0; i < 20_000; i++)
        {
            double exact = i % 100 == 0 ? 0.01 : 0.8 + (0.4 * random.NextDouble());
            fit.Add(
                (float)(i % 100 == 0 ? -0.01 * (i % 300) / 100 : exact + (spread * Math.Sqrt(exact) * Normal(random))), (float)exact, 1);
        }

        Assert.That(fit.ToCalibration().Spread, Is.EqualTo(spread).Within(0.05 * spread), $"seed {Seed}");
    }

    private static double Normal(Random random) =>
        Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
}
