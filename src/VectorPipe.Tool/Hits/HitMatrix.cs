using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using VectorPipe.Tool.Collections;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Tool.Hits;

/// <summary>Keys of hits as rows of k numbers, one row a query: an array of NumPy, or .ivecs. Missing hits are -1.</summary>
internal sealed class HitMatrix<TKey> : IHitWriter<TKey>
    where TKey : notnull, IParsable<TKey>
{
    // NumPy aligns the first element to as much.
    private const int HeaderAlignment = 64, PreambleBytes = 10;

    private readonly StagedOutput _file;
    private readonly bool _isIvecs;
    private readonly int _k;
    private readonly byte[] _row;

    public HitMatrix(StagedOutput file, bool isIvecs, HitShape shape)
    {
        (_file, _isIvecs, _k) = (file, isIvecs, shape.K);
        _row = new byte[isIvecs ? checked((shape.K + 1) * sizeof(int)) : checked(shape.K * sizeof(long))];
        if (isIvecs)
            BinaryPrimitives.WriteInt32LittleEndian(_row, shape.K);
        else
            file.Stream.Write(Header(shape));
    }

    /// <summary>Whether keys of the type are numbers.</summary>
    public static bool CanHold => typeof(TKey) == typeof(ulong) || typeof(TKey) == typeof(long) || typeof(TKey) == typeof(int);

    private ulong MostKey => (ulong)(_isIvecs ? int.MaxValue : long.MaxValue);

    public ValueTask WriteAsync(int query, IReadOnlyList<KeyHit<TKey>> hits, CancellationToken cancellationToken)
    {
        for (int i = 0; i < _k; i++)
        {
            long number = i < hits.Count ? NumberOf(hits[i].Key) : -1;
            if (_isIvecs)
                BinaryPrimitives.WriteInt32LittleEndian(_row.AsSpan((i + 1) * sizeof(int)), (int)number);
            else
                BinaryPrimitives.WriteInt64LittleEndian(_row.AsSpan(i * sizeof(long)), number);
        }

        return _file.Stream.WriteAsync(_row, cancellationToken);
    }

    public Task CompleteAsync(CancellationToken cancellationToken) => _file.CompleteAsync(cancellationToken);

    public ValueTask DisposeAsync() => _file.DisposeAsync();

    // -1 stands for no hit, so no key may be negative.
    private long NumberOf(TKey key)
    {
        ulong? number = key switch
        {
            ulong value => value,
            long and >= 0 or int and >= 0 => Convert.ToUInt64(key, CultureInfo.InvariantCulture),
            _ => null,
        };
        return number <= MostKey ? (long)number : throw new UsageException(
            $"--out: expected keys of 0 to {MostKey} for {(_isIvecs ? ".ivecs" : ".npy")}; found {KeyText<TKey>.ToText(key)}: write "
            + ".parquet, .jsonl or .csv.");
    }

    private static byte[] Header(HitShape shape)
    {
        string text = $"{{'descr': '<i8', 'fortran_order': False, 'shape': ({shape.Queries}, {shape.K}), }}";
        int total = (PreambleBytes + text.Length + HeaderAlignment) / HeaderAlignment * HeaderAlignment;
        text = text.PadRight(total - PreambleBytes - 1) + '\n';
        byte[] length = new byte[sizeof(ushort)];
        BinaryPrimitives.WriteUInt16LittleEndian(length, (ushort)text.Length);
        return [0x93, .. "NUMPY"u8, 1, 0, .. length, .. Encoding.ASCII.GetBytes(text)];
    }
}
