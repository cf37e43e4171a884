using NUnit.Framework;
using VectorPipe.Numerics.Distances;

namespace VectorPipe.Tests.Numerics;

/// <summary>Compares every register width of this processor with the scalar definition.</summary>
[TestFixture(typeof(FloatLanes128), typeof(IntegerLanes128))]
[TestFixture(typeof(FloatLanes256), typeof(IntegerLanes256))]
[TestFixture(typeof(FloatLanes512), typeof(IntegerLanes512))]
public sealed unsafe class RowKernelsTests<TFloat, TInteger>
    where TFloat : struct
    where TInteger : struct
{
    [SetUp]
    public void SkipWidthsTheProcessorLacks()
    {
        if (!IsSupported())
            Assert.Ignore($"This processor, or the environment, does not offer {typeof(TFloat).Name}.");
    }

    [Test]
    public void Float_rows_equal_the_scalar_kernel_within_the_stated_bound(
        [ValueSource(typeof(KernelCases), nameof(KernelCases.Dimensions))] int dimension) =>
        Dispatch(new FloatCheck<float>(dimension));

    [Test]
    public void Half_rows_equal_the_scalar_kernel_within_the_stated_bound(
        [ValueSource(typeof(KernelCases), nameof(KernelCases.Dimensions))] int dimension) =>
        Dispatch(new FloatCheck<Half>(dimension));

    [Test]
    public void Byte_rows_sum_exactly([ValueSource(typeof(KernelCases), nameof(KernelCases.Dimensions))] int dimension) =>
        Dispatch(new IntegerCheck<byte>(dimension));

    [Test]
    public void Signed_byte_rows_sum_exactly([ValueSource(typeof(KernelCases), nameof(KernelCases.Dimensions))] int dimension) =>
        Dispatch(new IntegerCheck<sbyte>(dimension));

    private static bool IsSupported() => typeof(TFloat) == typeof(FloatLanes512) ? FloatLanes512.IsSupported && IntegerLanes512.IsSupported
        : typeof(TFloat) == typeof(FloatLanes256) ? FloatLanes256.IsSupported && IntegerLanes256.IsSupported
        : FloatLanes128.IsSupported && IntegerLanes128.IsSupported;

    /// <summary>NUnit needs public type arguments, which cannot have the internal interface as a constraint.</summary>
    private static void Dispatch(IKernelCheck check)
    {
        if (typeof(TFloat) == typeof(FloatLanes512))
            check.Run<FloatLanes512, IntegerLanes512>();
        else if (typeof(TFloat) == typeof(FloatLanes256))
            check.Run<FloatLanes256, IntegerLanes256>();
        else
            check.Run<FloatLanes128, IntegerLanes128>();
    }
}
