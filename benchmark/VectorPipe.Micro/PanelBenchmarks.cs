using BenchmarkDotNet.Attributes;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Distances;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Micro;

/// <summary>Distances of 48 rows to a panel of 192 candidates; times are per distance, and for packing per candidate.</summary>
public unsafe class PanelBenchmarks : IDisposable
{
    private const int Rows = 48;
    private const int Candidates = 192;

    private readonly int[] _rows = [.. Enumerable.Range(0, Rows)];
    private readonly int[] _candidates = [.. Enumerable.Range(Rows, Candidates)];
    private readonly VectorPanel _panel = new();
    private readonly DistanceBlock _block = new();
    private readonly float[] _gathered = new float[Candidates];
    private VectorTable _table = null!;

    [Params(VectorElementType.UInt8, VectorElementType.Float32)]
    public VectorElementType Type { get; set; }

    [Params(128, 384)]
    public int Dimension { get; set; }

    [GlobalSetup]
    public void Fill()
    {
        var random = new Random(1);
        byte[] bytes = new byte[Dimension * (Rows + Candidates) * Type.SizeInBytes()];
        random.NextBytes(bytes);
        if (Type == VectorElementType.Float32)
        {
            foreach (ref float value in System.Runtime.InteropServices.MemoryMarshal.Cast<byte, float>(bytes.AsSpan()))
                value = random.NextSingle();
        }

        using var points = new PointTable(DistanceMetric.L2, Type, Dimension, Rows + Candidates);
        for (int i = 0; i < points.Count; i++)
            points.Set(i, bytes.AsSpan(i * points.VectorBytes, points.VectorBytes), (ulong)i);
        _table = new VectorTable(KernelRowFormat.Of(points), points.Count);
        for (int i = 0; i < points.Count; i++)
            _table.Load(i, points, i);
        _panel.Pack(_table.Rows, _candidates);
        _block.Compute(_table.Rows, _rows, _panel);
    }

    [GlobalCleanup]
    public void Dispose()
    {
        GC.SuppressFinalize(this);
        _table.Dispose();
        _panel.Dispose();
        _block.Dispose();
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Rows * Candidates)]
    public float Pairs_Scalar()
    {
        float sum = 0;
        foreach (int row in _rows)
        {
            foreach (int candidate in _candidates)
            {
                byte* a = _table.Rows.Row(row);
                byte* b = _table.Rows.Row(candidate);
                sum += Type == VectorElementType.Float32
                    ? ScalarKernels.SquaredL2<float, float, float>((float*)a, (float*)b, Dimension)
                    : ScalarKernels.SquaredL2<int, sbyte, sbyte>((sbyte*)a, (sbyte*)b, Dimension);
            }
        }

        return sum;
    }

    [Benchmark(OperationsPerInvoke = Rows * Candidates)]
    public void Rows_Gathered()
    {
        foreach (int row in _rows)
            GatherKernels.Distances(_table.Rows, row, _candidates, _gathered);
    }

    [Benchmark(OperationsPerInvoke = Rows * Candidates)]
    public void Rows_OneByOne()
    {
        foreach (int row in _rows)
            PanelKernels.Distances(_table.Rows, row, _panel, 0, _block.Row(0));
    }

    [Benchmark(OperationsPerInvoke = Rows * Candidates)]
    public void Rows_InTiles() => _block.Compute(_table.Rows, _rows, _panel);

    [Benchmark(OperationsPerInvoke = Candidates)]
    public void Packing() => _panel.Pack(_table.Rows, _candidates);
}
