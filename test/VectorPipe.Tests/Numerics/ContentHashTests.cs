using System.Buffers.Binary;
using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Devices.Native;
using VectorPipe.Numerics.Hashing;

namespace VectorPipe.Tests.Numerics;

public sealed class ContentHashTests
{
    private const int Seed = 3;

    private static IEnumerable<int> Lengths => [0, 1, 7, 8, 31, 32, 33, 64, 100];

    [Test]
    public void One_changed_bit_anywhere_changes_about_half_of_the_hash([ValueSource(nameof(Lengths))] int length)
    {
        byte[] bytes = Random(length);
        ulong hash = Hash(bytes);
        double changed = 0;
        for (int bit = 0; bit < length * 8; bit++)
        {
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            int distance = System.Numerics.BitOperations.PopCount(Hash(bytes) ^ hash);
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.That(distance, Is.GreaterThan(8), $"bit {bit}, seed {Seed}");
            changed += distance;
        }

        if (length > 0)
            Assert.That(changed / (length * 8), Is.EqualTo(32).Within(2.5), $"seed {Seed}");
    }

    [Test]
    public void Items_have_the_hash_of_their_bytes_and_each_counts([Values(0, 1, 262_143, 262_144, 262_145, 1_000_003)] int count)
    {
        int[] items = [.. Enumerable.Range(0, count)];
        ulong hash = HashAll(items);
        Assert.That(HashAll(MemoryMarshal.AsBytes<int>(items)), Is.EqualTo(hash));
        Assert.That(HashAll<int>([.. items, 0]), Is.Not.EqualTo(hash));
        foreach (int at in new[] { 0, count / 2, count - 1 }.Where(at => at >= 0 && at < count))
        {
            items[at] ^= 1;
            Assert.That(HashAll(items), Is.Not.EqualTo(hash), $"{at}");
            items[at] ^= 1;
        }
    }

    [Test]
    [Category("Heavy")]
    public unsafe void More_items_than_a_span_of_bytes_can_hold_are_hashed()
    {
        const int Count = (1 << 29) + 5;
        using var memory = new NativeBuffer((nuint)Count * sizeof(int));
        var items = new Span<int>(memory.Pointer, Count);
        ulong zeros = HashAll<int>(items);
        items[^1] = 1;
        Assert.That(HashAll<int>(items), Is.Not.EqualTo(zeros));
    }

    [Test]
    public void Zeros_at_the_end_count() =>
        Assert.That(Lengths.Select(length => Hash(new byte[length])), Is.Unique);

    [Test]
    public void Pieces_and_their_concatenation_have_different_hashes()
    {
        byte[] bytes = Random(64);
        Assert.That(Hash(bytes[..32], bytes[32..]), Is.Not.EqualTo(Hash(bytes)));
        Assert.That(Hash(bytes[..20], bytes[20..]), Is.Not.EqualTo(Hash(bytes[..32], bytes[32..])));
    }

    [Test]
    public void The_order_of_pieces_counts()
    {
        byte[] bytes = Random(64);
        byte[][] pieces = [bytes[..32], bytes[32..]];
        byte[][] turned = [bytes[32..], bytes[..32]];
        Assert.That(Hash(turned), Is.Not.EqualTo(Hash(pieces)));
    }

    [Test]
    public void Swapped_words_change_the_hash()
    {
        byte[] bytes = Random(256);
        ulong hash = Hash(bytes);
        for (int i = 0; i < 32; i++)
        {
            for (int j = 0; j < i; j++)
            {
                byte[] other = (byte[])bytes.Clone();
                bytes.AsSpan(i * 8, 8).CopyTo(other.AsSpan(j * 8));
                bytes.AsSpan(j * 8, 8).CopyTo(other.AsSpan(i * 8));
                Assert.That(Hash(other), Is.Not.EqualTo(hash), $"words {i} and {j}, seed {Seed}");
            }
        }
    }

    [Test]
    public void A_hundred_thousand_counters_have_hashes_of_their_own()
    {
        var seen = new HashSet<ulong>();
        byte[] bytes = new byte[48];
        for (int i = 0; i < 100_000; i++)
        {
            BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(i % 2 * 40), i);
            Assert.That(seen.Add(Hash(bytes)), Is.True, $"{i}");
        }
    }

    private static ulong Hash(params byte[][] pieces)
    {
        var hash = new ContentHash();
        foreach (byte[] piece in pieces)
            hash.Add(piece);
        return hash.Value;
    }

    private static byte[] Random(int length)
    {
        byte[] bytes = new byte[length];
        new Random(Seed).NextBytes(bytes);
        return bytes;
    }

    private static ulong HashAll<T>(ReadOnlySpan<T> items)
        where T : unmanaged
    {
        var hash = new ContentHash();
        hash.AddAll(items);
        return hash.Value;
    }

    private static ulong HashAll(int[] items) => HashAll<int>(items);
}
