using NUnit.Framework;
using VectorPipe.Quantization;

namespace VectorPipe.Tests.Quantization;

public sealed unsafe class CentroidSearchTests
{
    [Test]
    public void Both_searches_find_the_same_centroids([Values(1, 3, 4, 13)] int dimension, [Values] bool equalCentroids)
    {
        if (!CentroidSearch512.IsSupported)
            Assert.Ignore("This processor has no registers of 512 bits, or they are switched off.");
        (float[] points, float[] centroids, float[] halfNorms) = Case(dimension, equalCentroids);
        byte[] some = new byte[64], others = new byte[64];
        fixed (float* point = points, centroid = centroids, halfNorm = halfNorms)
        {
            fixed (byte* one = some, other = others)
            {
                for (int i = 0; i < 64; i += 4)
                {
                    CentroidSearch.NearestOfFour(point + (i * dimension), dimension, dimension, centroid, halfNorm, one + i, 1);
                    CentroidSearch512.NearestOfFour(point + (i * dimension), dimension, dimension, centroid, halfNorm, other + i, 1);
                }
            }
        }

        Assert.That(others, Is.EqualTo(some));
    }

    [Test]
    public void The_lowest_of_equally_near_centroids_is_found([Values(1, 4)] int dimension)
    {
        (float[] points, float[] centroids, float[] halfNorms) = Case(dimension, equalCentroids: true);
        var codes = new byte[64];
        fixed (float* point = points, centroid = centroids, halfNorm = halfNorms)
        {
            fixed (byte* code = codes)
                CentroidSearch.Nearest(point, 63, dimension, centroid, halfNorm, code, 1);
        }

        // Centroids 100 and up repeat the first ones.
        Assert.That(codes[..63], Is.All.LessThan(100));
        Assert.That(codes[..63].Distinct().Count(), Is.GreaterThan(5));
    }

    private static (float[] Points, float[] Centroids, float[] HalfNorms) Case(int dimension, bool equalCentroids)
    {
        float[] points = QuantizerCases.Sample(64, dimension, 1), rows = QuantizerCases.Sample(256, dimension, 2);
        var centroids = new float[dimension * 256];
        var halfNorms = new float[256];
        for (int c = 0; c < 256; c++)
        {
            for (int k = 0; k < dimension; k++)
                centroids[(k * 256) + c] = rows[((equalCentroids ? c % 100 : c) * dimension) + k];
        }

        fixed (float* centroid = centroids, halfNorm = halfNorms)
            CentroidSearch.HalfNorms(centroid, dimension, halfNorm);
        return (points, centroids, halfNorms);
    }
}
