namespace VectorPipe.Quantization;

/// <summary>How the components of a vector share the bytes of a code whose every byte names a point of a small grid: 4 components of 4 levels each, 5 of 3, 8 of 2, and so on.</summary>
/// <remarks>
/// <para>The first (dimension mod bytes) bytes hold one component more than the others. Of a byte's components each has as many levels as all of them can have in 256 points, and the first ones have one more
/// as long as there is room. Level l of L stands for (l - (L - 1) / 2) steps; a step is that of the uniform quantizer of L levels that loses least of a normal distribution (Max 1960).</para>
/// <para>Immutable.</para>
/// </remarks>
internal sealed class GridLayout
{
    /// <summary>The most components that a byte holds: two levels each.</summary>
    public const int MaxComponentsOfByte = 8;

    private const int Points = 256;

    private readonly int[] _chunkOffsets;
    private readonly int[] _levels;
    private readonly float[] _steps;

    /// <param name="dimension">Components.</param>
    /// <param name="bytes">Bytes; at most as many as components, and at least an eighth.</param>
    public GridLayout(int dimension, int bytes)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(bytes, LeastBytes(dimension));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes, dimension);
        _chunkOffsets = ProductQuantizer.ChunkOffsetsOf(dimension, bytes);
        _levels = new int[dimension];
        for (int chunk = 0; chunk < bytes; chunk++)
            ShareLevels(_levels.AsSpan(_chunkOffsets[chunk].._chunkOffsets[chunk + 1]));
        _steps = Array.ConvertAll(_levels, StepOf);
    }

    /// <summary>The first component of each byte, and at the end their number.</summary>
    public ReadOnlySpan<int> ChunkOffsets => _chunkOffsets;

    /// <summary>Levels of each component; 2 to 256.</summary>
    public ReadOnlySpan<int> Levels => _levels;

    /// <summary>Distance of neighbouring levels of each component.</summary>
    public ReadOnlySpan<float> Steps => _steps;

    /// <summary>The fewest bytes that hold so many components.</summary>
    public static int LeastBytes(int dimension) => (dimension - 1) / MaxComponentsOfByte + 1;

    /// <summary>What a level stands for.</summary>
    public float Value(int component, int level) => (level - (_levels[component] - 1) * 0.5f) * _steps[component];

    private static void ShareLevels(Span<int> levels)
    {
        int even = 2;
        while (Math.Pow(even + 1, levels.Length) <= Points)
            even++;
        levels.Fill(even);
        double points = Math.Pow(even, levels.Length);
        for (int i = 0; i < levels.Length && points / even * (even + 1) <= Points; i++)
        {
            points = points / even * (even + 1);
            levels[i]++;
        }
    }

    private static float StepOf(int levels) => levels switch
    {
        2 => 1.596f,
        3 => 1.224f,
        4 => 0.9957f,
        6 => 0.7334f,
        7 => 0.6508f,
        16 => 0.3352f,
        Points => 0.0308f,
        _ => throw new ArgumentOutOfRangeException(nameof(levels), levels, "Expected a number of levels that a byte's components share."),
    };
}
