using NUnit.Framework;
using VectorPipe.Numerics.LinearAlgebra;

namespace VectorPipe.Tests.Numerics;

public sealed class PolarFactorTests
{
    [Test]
    public void A_matrix_is_its_factor_times_a_symmetric_positive_one([Values(1, 2, 3, 17, 64)] int n, [Values(0, 6)] int decades)
    {
        double[] matrix = Random(n, n), factor = matrix.ToArray();
        for (int i = 0; i < matrix.Length; i++)
            matrix[i] = factor[i] *= Math.Pow(10, -decades * (double)(i % n) / n);
        Assert.That(PolarFactor.TryCompute(factor, n), Is.True);
        double[] symmetric = TransposedTimes(factor, matrix, n);
        Assert.That(TransposedTimes(factor, factor, n), Is.EqualTo(Identity(n)).Within(1e-10), "orthogonal");
        for (int i = 0; i < n; i++)
        {
            Assert.That(symmetric[(i * n) + i], Is.GreaterThan(0), $"diagonal {i}");
            for (int k = 0; k < i; k++)
                Assert.That(symmetric[(i * n) + k], Is.EqualTo(symmetric[(k * n) + i]).Within(1e-10), $"({i}, {k})");
        }
    }

    [Test]
    public void An_orthogonal_matrix_is_its_own_factor()
    {
        double[] rotation = [0, 1, 0, 0, 0, -1, 1, 0, 0], factor = rotation.ToArray();
        Assert.That(PolarFactor.TryCompute(factor, 3), Is.True);
        Assert.That(factor, Is.EqualTo(rotation).Within(1e-12));
    }

    [TestCase(new double[] { 0, 0, 0, 0 })]
    [TestCase(new double[] { 1, 0, 0, 0 })]
    [TestCase(new double[] { double.NaN, 0, 0, 1 })]
    public void A_singular_matrix_has_no_factor(double[] matrix) => Assert.That(PolarFactor.TryCompute(matrix, 2), Is.False);

    private static double[] Random(int n, int seed)
    {
        var random = new Random(seed);
        return [.. Enumerable.Range(0, n * n).Select(_ => random.NextDouble() - 0.5)];
    }

    private static double[] Identity(int n) => [.. Enumerable.Range(0, n * n).Select(i => i / n == i % n ? 1.0 : 0)];

    private static double[] TransposedTimes(double[] a, double[] b, int n) =>
        [.. Enumerable.Range(0, n * n).Select(i => Enumerable.Range(0, n).Sum(k => a[(k * n) + (i / n)] * b[(k * n) + (i % n)]))];
}
