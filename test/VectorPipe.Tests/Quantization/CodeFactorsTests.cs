using NUnit.Framework;
using VectorPipe.Quantization;

namespace VectorPipe.Tests.Quantization;

public sealed class CodeFactorsTests
{
    [Test]
    public void A_factor_is_kept_to_a_five_hundredth([Values(1e-30f, 0.001f, 0.7f, 1f, 1.4999f, 262144f, 1e30f)] float value)
    {
        CodeFactors read = Stored(new CodeFactors(value, 3 * value));
        Assert.That(read.Scale, Is.EqualTo(value).Within(value * CodeFactors.MaxRounding));
        Assert.That(read.SquaredNorm, Is.EqualTo(3 * value).Within(3 * value * CodeFactors.MaxRounding));
    }

    [Test]
    public void Nothing_stays_nothing() => Assert.That(Stored(default), Is.EqualTo(default(CodeFactors)));

    [Test]
    public void The_largest_numbers_stay_finite([Values(float.MaxValue, float.PositiveInfinity)] float value) =>
        Assert.That(float.IsFinite(Stored(new CodeFactors(value, value)).Scale), Is.True);

    private static CodeFactors Stored(CodeFactors factors)
    {
        var bytes = new byte[CodeFactors.Bytes];
        factors.Write(bytes);
        return CodeFactors.Read(bytes);
    }
}
