using VectorPipe.Building.Graphs;
using VectorPipe.Numerics;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Quantization;

namespace VectorPipe.Building.Codes;

/// <summary>Encodes batches of rows on several threads.</summary>
/// <remarks>One batch at a time.</remarks>
internal sealed class CodeEncoder
{
    private readonly Quantizer _quantizer;
    private readonly ParallelOptions _parallel;
    private readonly float[][] _vectors;
    private readonly int[] _rows;
    private readonly byte[] _codes;

    public CodeEncoder(Quantizer quantizer, int maxRows, int threads)
    {
        _quantizer = quantizer;
        _parallel = ParallelLoops.Options(threads, CancellationToken.None);
        _rows = new int[maxRows];
        _codes = new byte[maxRows * quantizer.CodeBytes];
        _vectors = new float[threads][];
        for (int i = 0; i < threads; i++)
            _vectors[i] = new float[((maxRows - 1) / threads + 1) * quantizer.Dimension];
    }

    public int CodeBytes => _quantizer.CodeBytes;

    /// <summary>The codes of rows whose vectors are in memory; valid until the next call.</summary>
    public ReadOnlySpan<byte> Encode(GraphRecords records, ReadOnlySpan<int> rows, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        rows.CopyTo(_rows);
        int count = rows.Length;
        int share = (count - 1) / _vectors.Length + 1;
        Parallel.For(0, _vectors.Length, _parallel, part =>
        {
            int first = part * share;
            int size = Math.Min(share, count - first);
            if (size <= 0)
                return;
            int dimension = _quantizer.Dimension;
            for (int i = 0; i < size; i++)
                VectorConversion.ToCodeSpace(
                    records.Table.Metric, records.Table.Type, records.Vector(_rows[first + i]),
                    _vectors[part].AsSpan(i * dimension, dimension));
            _quantizer.Encode(_vectors[part].AsSpan(0, size * dimension), size, _codes.AsSpan(first * CodeBytes, size * CodeBytes));
        });
        return _codes.AsSpan(0, count * CodeBytes);
    }
}
