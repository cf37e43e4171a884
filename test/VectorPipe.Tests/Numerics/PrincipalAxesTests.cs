using NUnit.Framework;
using VectorPipe.Numerics.LinearAlgebra;

namespace VectorPipe.Tests.Numerics;

public sealed class PrincipalAxesTests
{
    private static readonly ParallelOptions _two = new() { MaxDegreeOfParallelism = 2 };

    [Test]
    public void Axes_are_orthonormal_and_the_matrix_only_stretches_them([Values(1, 2, 15, 16, 17, 33, 50)] int n)
    {
        double[] matrix = Covariance(n, n * 3, n), axes = matrix.ToArray();
        double trace = Enumerable.Range(0, n).Sum(i => matrix[(i * n) + i]);
        double[]? variances = PrincipalAxes.Find(axes, n, _two);
        Assert.That(variances, Is.Not.Null);
        for (int i = 0; i < n; i++)
        {
            double[] axis = axes[(i * n)..((i + 1) * n)];
            double[] image = [.. Enumerable.Range(0, n).Select(row => Dot(matrix, row, axis))];
            Assert.That(image, Is.EqualTo(axis.Select(value => value * variances![i])).Within(2e-6 * trace), $"axis {i}");
            for (int k = 0; k <= i; k++)
                Assert.That(Dot(axes, k, axis), Is.EqualTo(i == k ? 1 : 0).Within(1e-6), $"axes {i} and {k}");
        }
    }

    [Test]
    public void Directions_without_variance_have_axes()
    {
        double[] axes = Covariance(20, 3, 5);
        Assert.That(PrincipalAxes.Find(axes, 20, _two), Has.Length.EqualTo(20).And.All.GreaterThan(0));
        for (int i = 0; i < 20; i++)
        {
            for (int k = 0; k <= i; k++)
                Assert.That(Dot(axes, k, axes[(i * 20)..((i + 1) * 20)]), Is.EqualTo(i == k ? 1 : 0).Within(1e-6), $"axes {i} and {k}");
        }
    }

    [Test]
    public void The_number_of_threads_changes_nothing()
    {
        double[] one = Covariance(70, 100, 8), three = one.ToArray();
        PrincipalAxes.Find(one, 70, new ParallelOptions { MaxDegreeOfParallelism = 1 });
        PrincipalAxes.Find(three, 70, new ParallelOptions { MaxDegreeOfParallelism = 3 });
        Assert.That(three, Is.EqualTo(one));
    }

    [Test]
    public void A_matrix_without_variance_has_no_axes() => Assert.That(PrincipalAxes.Find(new double[9], 3, _two), Is.Null);

    private static double Dot(double[] matrix, int row, double[] vector) =>
        vector.Select((value, k) => value * matrix[(row * vector.Length) + k]).Sum();

    private static double[] Covariance(int n, int rows, int seed)
    {
        var random = new Random(seed);
        double[] x = [.. Enumerable.Range(0, n * rows).Select(i => (random.NextDouble() - 0.5) * (1 + (i % n)))];
        return [
            .. Enumerable.Range(0, n * n)
            .Select(i => Enumerable.Range(0, rows).Sum(row => x[(row * n) + (i / n)] * x[(row * n) + (i % n)]))];
    }
}
