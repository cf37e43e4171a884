using NUnit.Framework;
using VectorPipe.Quantization;

namespace VectorPipe.Tests.Quantization;

public sealed class HadamardRotationTests
{
    [Test]
    public void Products_stay_and_the_inverse_brings_back([Values(1, 2, 3, 6, 64, 100, 127, 384)] int dimension)
    {
        HadamardRotation rotation = HadamardRotation.Random(dimension, seed: 3);
        float[] a = QuantizerCases.Sample(1, dimension, 1), b = QuantizerCases.Sample(1, dimension, 2);
        float[] turnedA = [.. a], turnedB = [.. b];
        rotation.Apply(turnedA);
        rotation.Apply(turnedB);
        double before = a.Zip(b, (x, y) => (double)x * y).Sum(), after = turnedA.Zip(turnedB, (x, y) => (double)x * y).Sum();
        Assert.That(after, Is.EqualTo(before).Within(1e-5 * Math.Abs(before)));
        rotation.ApplyInverse(turnedA);
        Assert.That(turnedA, Is.EqualTo(a).Within(1e-4));
    }

    [Test]
    public void No_component_keeps_more_than_its_share([Values(64, 100, 127, 129, 255, 384, 1000)] int dimension)
    {
        HadamardRotation rotation = HadamardRotation.Random(dimension, seed: 4);
        for (int axis = 0; axis < dimension; axis += 3)
        {
            var vector = new float[dimension];
            vector[axis] = 1;
            rotation.Apply(vector);

            // A component of a random direction is normally distributed with a deviation of 1 / sqrt(n): none in hundreds of thousands lies beyond 5.5, and half of the length is in no quarter.
            Assert.That(vector.Max(MathF.Abs) * Math.Sqrt(dimension), Is.LessThan(5.5), $"axis {axis}");
            Assert.That(vector.Chunk((dimension + 3) / 4).Max(part => part.Sum(value => value * value)), Is.LessThan(0.6), $"axis {axis}");
        }
    }

    [Test]
    public void Another_seed_is_another_rotation() =>
        Assert.That(HadamardRotation.Random(40, 1).Signs.ToArray(), Is.Not.EqualTo(HadamardRotation.Random(40, 2).Signs.ToArray()));
}
