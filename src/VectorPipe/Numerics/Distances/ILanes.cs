namespace VectorPipe.Numerics.Distances;

/// <summary>
/// One register of components in the form in which a kernel computes: floats, or integers widened to 16 bits whose products add up in 32.
/// </summary>
/// <remarks>
/// Implementations are wrappers of one vector type; the JIT removes them, so that one kernel source serves every register width.
/// </remarks>
/// <typeparam name="TSelf">The implementing type.</typeparam>
/// <typeparam name="TSum">The type of a finished sum: float or int.</typeparam>
internal unsafe interface ILanes<TSelf, TSum>
    where TSelf : struct, ILanes<TSelf, TSum>
    where TSum : unmanaged
{
    /// <summary>Components a register holds; a kernel may be called for this many components or more.</summary>
    static abstract int Count { get; }

    /// <summary>Whether the processor computes with this width in hardware.</summary>
    static abstract bool IsSupported { get; }

    /// <summary>Reads <see cref="Count"/> stored components, at any address, and widens them.</summary>
    static abstract TSelf Load<T>(T* source)
        where T : unmanaged;

    /// <summary>Zeroes all but the last <paramref name="count"/> components.</summary>
    static abstract TSelf KeepLast(TSelf value, int count);

    /// <summary>left - right, component by component.</summary>
    static abstract TSelf Subtract(TSelf left, TSelf right);

    /// <summary>sum + left x right, where sum is an accumulator.</summary>
    static abstract TSelf MultiplyAdd(TSelf left, TSelf right, TSelf sum);

    /// <summary>The sum of two accumulators.</summary>
    static abstract TSelf AddSums(TSelf left, TSelf right);

    /// <summary>The sum over an accumulator, in the same order of additions as <see cref="Sum4"/>.</summary>
    static abstract TSum Sum(TSelf sum);

    /// <summary>The sums over four accumulators: one joint reduction costs little more than one <see cref="Sum"/>.</summary>
    static abstract void Sum4(TSelf sum0, TSelf sum1, TSelf sum2, TSelf sum3, TSum* result);
}
