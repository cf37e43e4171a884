using NUnit.Framework;
using VectorPipe.Devices;

namespace VectorPipe.Tests.Devices;

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
}
