using System.Buffers.Binary;
using System.IO.Hashing;
using System.Text;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Clustering;

/// <summary>Hashes all elements of a set as they are at a moment, in no order.</summary>
internal static class SetDigest
{
    private const Include All = Include.Vector | Include.Attributes | Include.Payload;

    /// <summary>Begins: what is written after that does not count.</summary>
    public static async Task<Task<long>> BeginAsync(VectorSet set, CancellationToken cancellationToken)
    {
        IAsyncEnumerator<CollectionRecord<string>> records =
            set.Collection.ScanAsync(All, cancellationToken).GetAsyncEnumerator(cancellationToken);
        bool hasFirst;
        try
        {
            hasFirst = await records.MoveNextAsync();
        }
        catch
        {
            await records.DisposeAsync();
            throw;
        }

        return SumAsync(records, hasFirst);
    }

    private static async Task<long> SumAsync(IAsyncEnumerator<CollectionRecord<string>> records, bool hasRecord)
    {
        // The follower goes on meanwhile.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        await using (records)
        {
            var hash = new XxHash3();
            long sum = 0;
            for (; hasRecord; hasRecord = await records.MoveNextAsync())
                sum = unchecked(sum + HashOf(hash, records.Current));
            return sum;
        }
    }

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
