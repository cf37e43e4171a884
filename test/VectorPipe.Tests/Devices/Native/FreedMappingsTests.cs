using NUnit.Framework;
using VectorPipe.Devices.Native;

namespace VectorPipe.Tests.Devices.Native;

/// <summary>Mappings that were freed serve later blocks of their length.</summary>
[TestFixture]
[Alone]
internal sealed class FreedMappingsTests
{
    // Lengths that nothing else in the process uses.
    private const int Length = (200 << 10) + 4096, Huge = (2 << 20) + (12 << 10);

    [SetUp]
    public void Require() => Assume.That(Libc.IsSupported, "Linux on x64 or arm64");

    [Test]
    public void A_reused_block_is_the_freed_one_and_others_are_zeros([Values(Length, Huge)] int length)
    {
        nint address;
        using (var first = new NativeBuffer((nuint)length, isReused: true))
        {
            address = first.Address;
            first.Span(0, length).Fill(7);
        }

        using var second = new NativeBuffer((nuint)length, isReused: true);
        Assert.That(second.Address, Is.EqualTo(address));
        using var other = new NativeBuffer((nuint)length);
        Assert.That(other.Address, Is.Not.EqualTo(address));
        Assert.That(other.Span(0, length).ContainsAnyExcept((byte)0), Is.False);
    }

    [Test]
    public void Blocks_that_are_in_use_share_nothing()
    {
        const int Blocks = 20, Rounds = 50;
        var random = new Random(1);
        NativeBuffer?[] blocks = new NativeBuffer[Blocks];
        for (int round = 0; round < Rounds * Blocks; round++)
        {
            int at = random.Next(Blocks);
            if (blocks[at] is { } used)
            {
                Assert.That(used.Span(0, Length).ContainsAnyExcept((byte)(at + 1)), Is.False);
                used.Dispose();
                blocks[at] = null;
            }
            else
            {
                blocks[at] = new NativeBuffer(Length, isReused: true);
                blocks[at]!.Span(0, Length).Fill((byte)(at + 1));
            }
        }

        foreach (NativeBuffer? block in blocks)
            block?.Dispose();
    }

    [Test]
    public void A_block_that_is_not_reused_neither_takes_nor_leaves_one()
    {
        nuint before = FreedMappings.Bytes;
        new NativeBuffer(Length + 4096).Dispose();
        Assert.That((long)FreedMappings.Take(Length + 4096), Is.Zero);
        Assert.That(FreedMappings.Bytes, Is.EqualTo(before));
    }

    [Test]
    public void No_more_than_the_bound_is_kept_and_the_latest_stay()
    {
        nuint length = FreedMappings.MostBytes / 16;
        NativeBuffer[] blocks = [.. Enumerable.Range(0, 40).Select(_ => new NativeBuffer(length, isReused: true))];
        nint last = blocks[^1].Address;
        foreach (NativeBuffer block in blocks)
            block.Dispose();
        Assert.That(FreedMappings.Bytes, Is.EqualTo(FreedMappings.MostBytes));
        using var next = new NativeBuffer(length, isReused: true);
        Assert.That(next.Address, Is.EqualTo(last));
    }

    [Test]
    public void Long_blocks_are_given_back()
    {
        nuint before = FreedMappings.Bytes;
        new NativeBuffer(FreedMappings.MostBytes, isReused: true).Dispose();
        Assert.That(FreedMappings.Bytes, Is.EqualTo(before));
    }

    [Test]
    public void Blocks_of_many_threads_are_each_of_one()
    {
        Parallel.For(0, 8, thread =>
        {
            for (int round = 0; round < 200; round++)
            {
                using var block = new NativeBuffer(Length, isReused: true);
                Span<byte> bytes = block.Span(0, Length);
                bytes.Fill((byte)(thread + 1));
                Assert.That(bytes.ContainsAnyExcept((byte)(thread + 1)), Is.False);
            }
        });
    }
}
