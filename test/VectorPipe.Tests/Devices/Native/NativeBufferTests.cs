using System.Globalization;
using NUnit.Framework;
using VectorPipe.Devices.Native;

namespace VectorPipe.Tests.Devices.Native;

public sealed unsafe class NativeBufferTests
{
    [TestCase(1)]
    [TestCase(4096)]
    [TestCase((2 << 20) - 1)]
    [TestCase(2 << 20)]
    [TestCase((5 << 20) + 3)]
    public void A_block_is_zeroed_page_aligned_and_writable_to_its_end(int length)
    {
        using NativeBuffer buffer = new((nuint)length);
        Assert.That((long)buffer.Pointer % NativeBuffer.Alignment, Is.Zero);
        Assert.That(buffer.Span(0, length).IndexOfAnyExcept((byte)0), Is.EqualTo(-1));
        buffer.Span(0, length).Fill(1);
    }

    [Test]
    public void A_freed_block_is_not_reachable()
    {
        NativeBuffer buffer = new(1);
        buffer.Dispose();
        Assert.That(buffer.Dispose, Throws.Nothing);
        Assert.That(() => (nint)buffer.Pointer, Throws.TypeOf<ObjectDisposedException>());
    }

    [TestCase(0, 11)]
    [TestCase(11, 0)]
    [TestCase(5, 6)]
    [TestCase(0, -1)]
    public void A_window_beyond_the_block_is_refused(int offset, int length)
    {
        using NativeBuffer buffer = new(10);
        Assert.That(() => buffer.Span((nuint)offset, length).Length, Throws.TypeOf<ArgumentOutOfRangeException>());
    }

    [Test]
    public void A_block_that_cannot_be_allocated_is_a_typed_error() => Assert.That(
        () => new NativeBuffer((nuint)1 << 60), Throws.TypeOf<DeviceException>().With.Message.Contains("memory"));

    [Test]
    public void A_copy_of_the_process_does_not_take_large_blocks()
    {
        if (!Libc.IsSupported)
            Assert.Ignore("Only Linux takes advice about memory.");
        using NativeBuffer buffer = new(1 << 20);
        ulong address = (ulong)buffer.Pointer;

        // The kernel joins neighbouring mappings of the same kind.
        string flags = File.ReadLines("/proc/self/smaps").SkipWhile(line => !Contains(line, address))
            .First(line => line.StartsWith("VmFlags:", StringComparison.Ordinal));
        Assert.That(flags.Split(' '), Has.Member("dc"));
    }

    private static bool Contains(string line, ulong address)
    {
        string[] ends = line.Split(' ')[0].Split('-');
        return ends.Length == 2
            && ulong.TryParse(ends[0], NumberStyles.HexNumber, null, out ulong first)
            && ulong.TryParse(ends[1], NumberStyles.HexNumber, null, out ulong end)
            && first <= address
            && address < end;
    }
}
