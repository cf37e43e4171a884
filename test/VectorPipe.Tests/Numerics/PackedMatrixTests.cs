using NUnit.Framework;
using VectorPipe.Numerics.LinearAlgebra;

namespace VectorPipe.Tests.Numerics;

public sealed unsafe class PackedMatrixTests
{
    [Test]
    public void Rows_times_the_matrix(
        [Values(1, 5, 6, 7, 20)] int count, [Values(1, 3, 40)] int rows, [Values(1, 15, 16, 33, 64, 65, 130)] int columns)
    {
        float[] left = Numbers(count * rows, 1), matrix = Numbers(rows * columns, 2), result = new float[count * columns];
        Multiply(left, matrix, rows, columns, count, result);
        for (int i = 0; i < result.Length; i++)
        {
            double expected =
                Enumerable.Range(0, rows).Sum(k => (double)left[(i / columns * rows) + k] * matrix[(k * columns) + (i % columns)]);
            Assert.That(result[i], Is.EqualTo(expected).Within(1e-5), $"row {i / columns}, column {i % columns}");
        }
    }

    [Test]
    public void A_row_gives_the_same_bits_beside_any_other_rows()
    {
        const int Rows = 37, Columns = 70, Count = 23;
        float[] left = Numbers(Count * Rows, 3), matrix = Numbers(Rows * Columns, 4), together = new float[Count * Columns],
            alone = new float[Columns];
        Multiply(left, matrix, Rows, Columns, Count, together);
        for (int row = 0; row < Count; row++)
        {
            Multiply(left[(row * Rows)..((row + 1) * Rows)], matrix, Rows, Columns, 1, alone);
            Assert.That(together[(row * Columns)..((row + 1) * Columns)], Is.EqualTo(alone), $"row {row}");
        }
    }

    [Test]
    public void A_cross_product_is_the_sum_over_all_rows([Values(1, 255, 256, 600)] int rows, [Values(1, 48, 50)] int columns)
    {
        float[] x = Numbers(rows * columns, 5), y = Numbers(rows * columns, 6);
        double[] product = CrossProduct.Compute(
            new SpreadRows(x, rows, columns), new SpreadRows(y, rows, columns), new ParallelOptions { MaxDegreeOfParallelism = 2 });
        for (int i = 0; i < product.Length; i += 7)
        {
            double expected =
                Enumerable.Range(0, rows).Sum(row => (double)x[(row * columns) + (i / columns)] * y[(row * columns) + (i % columns)]);
            Assert.That(product[i], Is.EqualTo(expected).Within(1e-4), $"({i / columns}, {i % columns})");
        }
    }

    [Test]
    public void Scattered_rows_give_the_product_of_their_copies([Values(1, 255, 256, 300)] int rows, [Values(300, 301, 900)] int of)
    {
        const int columns = 50;
        float[] matrix = Numbers(of * columns, 7), y = Numbers(rows * columns, 8);
        float[] copy = [.. Enumerable.Range(0, rows).SelectMany(row => matrix.Skip((int)((long)row * of / rows) * columns).Take(columns))];
        SpreadRows spread = new(matrix, of, columns, rows), together = new(copy, rows, columns), other = new(y, rows, columns);
        var options = new ParallelOptions { MaxDegreeOfParallelism = 2 };
        Assert.That(CrossProduct.Compute(spread, other, options), Is.EqualTo(CrossProduct.Compute(together, other, options)));
        Assert.That(CrossProduct.Compute(spread, spread, options), Is.EqualTo(CrossProduct.Compute(together, together, options)));
        int first = rows / 3, count = (rows + 1) / 2;
        Assert.That(
            spread.Together(first, count, new float[count * columns]).ToArray(),
            Is.EqualTo(copy[(first * columns)..((first + count) * columns)]));
    }

    private static float[] Numbers(int count, int seed)
    {
        var random = new Random(seed);
        return [.. Enumerable.Range(0, count).Select(_ => random.NextSingle() - 0.5f)];
    }

    private static void Multiply(float[] left, float[] matrix, int rows, int columns, int count, float[] result)
    {
        var packed = new PackedMatrix(rows, columns);
        fixed (float* l = left, m = matrix, r = result)
        {
            packed.Pack(m, columns, rows);
            packed.Multiply(l, rows, count, r, columns);
        }
    }
}
