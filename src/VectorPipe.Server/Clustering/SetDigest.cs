using System.Buffers.Binary;
using System.IO.Hashing;
using System.Text;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Clustering;

/// <summary>Hashes all elements of a set as they are at a moment, in no order.</summary>
/// <remarks>One caller at a time.</remarks>
internal sealed class SetDigest : IAsyncDisposable
{
    private const Include All = Include.Vector | Include.Attributes | Include.Payload;

    private readonly IAsyncEnumerator<CollectionRecord<string>> _records;
    private bool _hasRecord;

    private SetDigest(IAsyncEnumerator<CollectionRecord<string>> records) => _records = records;

    /// <summary>Holds what is there: what is written after that does not count.</summary>
    public static async Task<SetDigest> BeginAsync(VectorSet set, CancellationToken cancellationToken)
    {
        var digest = new SetDigest(set.Collection.ScanAsync(All, cancellationToken).GetAsyncEnumerator(cancellationToken));
        try
        {
            digest._hasRecord = await digest._records.MoveNextAsync();
            return digest;
        }
        catch
        {
            await digest.DisposeAsync();
            throw;
        }
    }

    /// <summary>Hashes it; once.</summary>
    public async Task<long> SumAsync()
    {
        var hash = new XxHash3();
        long sum = 0;
        for (; _hasRecord; _hasRecord = await _records.MoveNextAsync())
            sum = unchecked(sum + HashOf(hash, _records.Current));
        return sum;
    }

    public ValueTask DisposeAsync() => _records.DisposeAsync();

    // Lengths are hashed, too: what ends one part must not look like the beginning of the next.
    private static long HashOf(XxHash3 hash, CollectionRecord<string> record)
    {
        Span<byte> numbers = stackalloc byte[sizeof(long) + (2 * sizeof(int))];
        byte[] name = Encoding.UTF8.GetBytes(record.Key);
        BinaryPrimitives.WriteInt64LittleEndian(numbers, record.Attributes[VectorSet.PositionName].AsInt64());
        BinaryPrimitives.WriteInt32LittleEndian(numbers[sizeof(long)..], name.Length);
        BinaryPrimitives.WriteInt32LittleEndian(numbers[(sizeof(long) + sizeof(int))..], record.Payload.Length);
        hash.Append(numbers);
        hash.Append(name);
        hash.Append(record.Payload.Span);
        hash.Append(record.Bytes.Span);
        long value = unchecked((long)hash.GetCurrentHashAsUInt64());
        hash.Reset();
        return value;
    }
}
