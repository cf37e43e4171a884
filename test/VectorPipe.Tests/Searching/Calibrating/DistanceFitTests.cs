using NUnit.Framework;
using VectorPipe.Numerics;
using VectorPipe.Searching;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage;

namespace VectorPipe.Tests.Searching.Calibrating;

/// <summary>What code distances say about exact ones, told from pairs of both.</summary>
public sealed class DistanceFitTests
{
    private const int Seed = 11;

    [TestCase(0, 1)]
    [TestCase(-0.04f, 0.55f)]
    [TestCase(0.1f, 0.8f)]
    public void The_line_and_the_spread_behind_the_pairs_are_found(float offset, float slope)
    {
        const double spread = 0.02;
        var random = new Random(Seed);
        var fit = new DistanceFit(DistanceMetric.L2, 0);
        for (int i = 0; i < 50_000; i++)
        {
            // Some lie where the line is below zero: near vectors that a coarse code makes look farther than they are.
            double code = 0.05 + (0.6 * random.NextDouble());
            fit.Add((float)code, (float)(offset + (slope * code) + (spread * Math.Sqrt(slope * code) * Normal(random))), 1);
        }

        Calibration calibration = fit.ToCalibration();

        Assert.That(calibration.Offset, Is.EqualTo(offset).Within(0.001), $"seed {Seed}");
        Assert.That(calibration.Slope, Is.EqualTo(slope).Within(0.003), $"seed {Seed}");
        Assert.That(calibration.Spread, Is.EqualTo(spread).Within(0.0005), $"seed {Seed}");
        var model = new DistanceModel(calibration.Offset, calibration.Slope, calibration.Spread, 0);
        Assert.That(model.Deviation(model.Expected(0.05f)), Is.EqualTo(spread * Math.Sqrt(slope * 0.05)).Within(0.0005), "below the line's zero too");
    }

    private static double Normal(Random random) => Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
}
