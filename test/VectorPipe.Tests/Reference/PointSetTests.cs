using NUnit.Framework;
using VectorPipe.Building.Graphs;
using VectorPipe.Reference.Vamana;
using VectorPipe.Tests.Building;

namespace VectorPipe.Tests.Reference;

internal sealed class PointSetTests
{
    private const int Seed = 99;

    [Test]
    public void Distances_are_those_of_the_build_space(
        [Values] DistanceMetric metric, [Values] VectorElementType type, [Values(3, 31, 33, 128)] int dimension)
    {
        TestVectors vectors = Draw(metric, type, dimension, 40);
        using PointSet points = vectors.ToPointSet();
        double[][] expected = BuildSpace(vectors);
        int[] others = [.. Enumerable.Range(0, 40)];
        float[] distances = new float[40];

        points.Distances(7, others, distances);

        double scale = expected.Max(vector => vector.Sum(x => x * x));
        for (int i = 0; i < 40; i++)
            Assert.That(distances[i], Is.EqualTo(SquaredL2(expected[7], expected[i])).Within(scale * 1e-5), $"point {i}, seed {Seed}");
    }

    [Test]
    public void Build_vectors_are_those_of_the_build_space([Values] DistanceMetric metric, [Values] VectorElementType type)
    {
        TestVectors vectors = Draw(metric, type, 12, 20);
        using PointTable points = vectors.ToPointTable();
        double[][] expected = BuildSpace(vectors);
        float[] vector = new float[points.BuildDimension];

        for (int i = 0; i < 20; i++)
        {
            points.CopyBuildVector(i, vector);
            Assert.That(vector.Select(x => (double)x), Is.EqualTo(expected[i]).Within(1e-3), $"point {i}, seed {Seed}");
        }
    }

    [Test]
    public void Equal_vectors_are_at_distance_zero([Values] DistanceMetric metric, [Values] VectorElementType type)
    {
        float[][] drawn = Draw(metric, type, 33, 30).Points;
        using PointSet points = TestVectors.Of(metric, type, [.. drawn, .. drawn]).ToPointSet();
        float[] distance = [1];

        for (int i = 0; i < drawn.Length; i++)
        {
            points.Distances(i, [i + drawn.Length], distance);
            Assert.That(distance[0], Is.Zero, $"point {i}, seed {Seed}");
        }
    }

    [Test]
    public void The_medoid_is_the_point_nearest_to_the_mean([Values] DistanceMetric metric, [Values(1, 3)] int threads)
    {
        TestVectors vectors = Draw(metric, VectorElementType.Float32, 6, 9000);
        using PointTable points = vectors.ToPointTable();
        double[][] space = BuildSpace(vectors);
        double[] mean = [.. Enumerable.Range(0, space[0].Length).Select(i => space.Average(vector => vector[i]))];
        double[] distances = [.. space.Select(vector => SquaredL2(vector, mean))];

        int medoid = Medoid.Find(points, paging: null, threads, CancellationToken.None);

        Assert.That(medoid, Is.EqualTo(Array.IndexOf(distances, distances.Min())), $"seed {Seed}");
    }

    [Test]
    public void Packed_rows_and_rows_written_one_by_one_are_the_same_points([Values] VectorElementType type)
    {
        TestVectors vectors = Draw(DistanceMetric.L2, type, 9, 20);
        using PointSet written = vectors.ToPointSet();
        using PointSet packed = PointSets.Create(DistanceMetric.L2, type, 9, 20, [.. vectors.Points.SelectMany(vectors.Encode)]);
        int[] others = [.. Enumerable.Range(0, 20)];
        float[] expected = new float[20];
        float[] actual = new float[20];

        written.Distances(3, others, expected);
        packed.Distances(3, others, actual);

        Assert.That(actual, Is.EqualTo(expected));
    }

    [Test]
    public void A_zero_vector_is_refused_under_cosine_and_named([Values] VectorElementType type) =>
        Assert.That(
            () => TestVectors.Of(DistanceMetric.Cosine, type, [1, 2], [0, 0]).ToPointSet(),
            Throws.TypeOf<VectorPipeException>().With.Message.Contains("zero vector at 1"));

    [Test]
    public void A_vector_whose_distances_would_not_be_finite_is_refused_and_named(
        [Values(float.NaN, float.PositiveInfinity, 1e19f)] float component) =>
        Assert.That(
            () => TestVectors.Of(DistanceMetric.L2, VectorElementType.Float32, [1, 2], [0, component]).ToPointSet(),
            Throws.TypeOf<VectorPipeException>().With.Message.Contains("vector 1"));

    [Test]
    public void A_row_of_the_wrong_length_is_refused()
    {
        using var rows = new PointRows(DistanceMetric.L2, VectorElementType.Float16, 3, 1);

        Assert.That(() => rows.Write(0, new byte[3]), Throws.ArgumentException.With.Message.Contains("Expected 6 bytes"));
    }

    private static TestVectors Draw(DistanceMetric metric, VectorElementType type, int dimension, int count) =>
        TestVectors.Clustered(metric, type, dimension, count, queries: 0, Seed);

    private static double SquaredL2(double[] a, double[] b) => a.Zip(b, (x, y) => (x - y) * (x - y)).Sum();

    private static double[][] BuildSpace(TestVectors vectors)
    {
        double[][] points = [.. vectors.Points.Select(point => point.Select(x => (double)x).ToArray())];
        double[] squaredNorms = [.. points.Select(point => point.Sum(x => x * x))];
        double largest = squaredNorms.Max();
        return vectors.Metric switch
        {
            DistanceMetric.L2 => points,
            DistanceMetric.Cosine => [.. points.Select((point, i) => point.Select(x => x / Math.Sqrt(squaredNorms[i])).ToArray())],
            _ => [.. points.Select((point, i) => (double[])[.. point, Math.Sqrt(largest - squaredNorms[i])])],
        };
    }
}
